/** How fast many clusters are asked, in virtual time. */
import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../env/sim/simenv.ts'
import { type Lane, RequestLimiter, type RequestRate, type Urgency } from './requestlimiter.ts'

const AMPLE: RequestRate = { all: 20, each: 5 }

function make(pace = AMPLE) {
  const env = createSimEnv('pacer')
  const { clock } = env
  const pacer = new RequestLimiter(env, pace)
  const sent: { readonly at: number; readonly who: string }[] = []
  return {
    clock,
    pacer,
    sent,
    meters: env.meters,
    lane: (isFree = () => false): Lane => pacer.lane(isFree),
    ask(lane: Lane, who: string, times = 1, urgency: Urgency = 'later', signal?: AbortSignal) {
      for (let i = 0; i < times; i++)
        void lane.acquire(urgency, 1, signal).then(() => sent.push({ at: clock.steady(), who }))
    },
    run: (ms: number) => clock.run(() => false, ms),
    by: (who: string) => sent.filter((s) => s.who === who).map(({ at }) => at),
  }
}

/** Most that were sent in any second, wherever it begins. */
function busiest(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((t) => t >= from && t < from + 1000).length))
}

const named = (n: number): string[] => Array.from({ length: n }, (_, i) => `c${i}`)

describe('a pacer', () => {
  it('lets no second have more than there may be, wherever it begins, and wastes none', async () => {
    const s = make()
    for (const who of named(50)) s.ask(s.lane(), who, 4)
    await s.run(450)
    for (const who of named(10)) s.ask(s.lane(), `late ${who}`)
    await s.run(60_000)
    expect(s.sent.length).toBe(210)
    expect(busiest(s.sent.map(({ at }) => at))).toBe(20)
    expect(s.sent.at(-1)!.at).toBe(209 * 50)
  })

  it('keeps nobody waiting where nothing was sent a moment ago', async () => {
    const s = make()
    s.ask(s.lane(), 'a')
    s.clock.at(60_000, () => s.ask(s.lane(), 'b'))
    await s.run(70_000)
    expect(s.sent.map(({ at }) => at)).toEqual([0, 60_000])
  })

  it('keeps no cluster busier than one may be, however little is asked of the others', async () => {
    const s = make()
    s.ask(s.lane(), 'a', 12)
    await s.run(430)
    s.ask(s.lane(), 'b')
    await s.run(60_000)
    expect(s.by('a')).toEqual(Array.from({ length: 12 }, (_, i) => i * 200))
    expect(s.by('b')).toEqual([450])
  })

  it('what asks for more than one request waits for all of them', async () => {
    const s = make()
    const [a, b] = [s.lane(), s.lane()]
    s.ask(a, 'a')
    void a.acquire('later', 2).then(() => {
      for (const who of ['two', 'two']) s.sent.push({ at: s.clock.steady(), who })
    })
    s.ask(a, 'a')
    s.ask(b, 'b')
    await s.run(10_000)
    expect([s.by('a'), s.by('two'), s.by('b')]).toEqual([[0, 800], [400, 400], [50]])
  })

  it('clusters take turns: whoever comes last waits for one request of each, not for all of them', async () => {
    const s = make({ all: 2, each: 5 })
    for (const who of ['a', 'b']) s.ask(s.lane(), who, 10)
    s.ask(s.lane(), 'c')
    await s.run(2000)
    expect(s.sent.map(({ who }) => who)).toEqual(['a', 'b', 'c', 'a', 'b'])
  })

  it('who somebody is comes before what it has', async () => {
    const s = make({ all: 1, each: 5 })
    const [a, b] = [s.lane(), s.lane()]
    s.ask(a, 'the first')
    s.ask(a, 'list a', 2)
    s.ask(b, 'list b')
    s.ask(b, 'who is b', 1, 'soon')
    await s.run(10_000)
    expect(s.sent.map(({ who }) => who)).toEqual(['the first', 'who is b', 'list a', 'list b', 'list a'])
  })

  it('a lane that is free waits for nobody, and takes no turn of the others', async () => {
    const s = make()
    for (const who of named(40)) s.ask(s.lane(), who)
    s.ask(
      s.lane(() => true),
      'free',
      30,
    )
    await s.run(0)
    expect(s.by('free').length).toBe(30)
    await s.run(1950)
    expect(s.sent.length).toBe(70)
  })

  it('who waits goes as soon as somebody looks and the lane has become free, and not before', async () => {
    const s = make()
    let isFree = false
    const lane = s.lane(() => isFree)
    s.ask(lane, 'busy', 30)
    lane.look()
    await s.run(0)
    expect(s.by('busy').length).toBe(1)
    isFree = true
    lane.look()
    await s.run(0)
    expect(s.by('busy').length).toBe(30)
    expect(s.pacer.isIdle).toBe(true)
  })

  it('who waits no more takes no turn', async () => {
    const s = make({ all: 1, each: 5 })
    const [a, b] = [s.lane(), s.lane()]
    const stop = new AbortController()
    s.ask(a, 'first')
    s.ask(a, 'stopped', 3, 'later', stop.signal)
    s.ask(b, 'second')
    await s.run(0)
    stop.abort()
    await s.run(0)
    expect(s.sent.map(({ who }) => who)).toEqual(['first', 'stopped', 'stopped', 'stopped'])
    await s.run(1000)
    expect(s.sent.at(-1)).toEqual({ at: 1000, who: 'second' })
    expect(s.pacer.isIdle).toBe(true)
  })

  it('says how many have waited, and how long', async () => {
    const s = make()
    for (const who of named(3)) s.ask(s.lane(), who)
    s.ask(
      s.lane(() => true),
      'free',
    )
    await s.run(1000)
    const said = s.meters.read().filter((m) => m.name === 'lockstep_cluster_turn_wait_seconds')
    expect(said.map(({ labels, count, value }) => [labels.urgency, count, Math.round(value * 1000)])).toEqual(
      [
        ['free', 1, 0],
        ['later', 3, 150],
      ],
    )
  })
})
