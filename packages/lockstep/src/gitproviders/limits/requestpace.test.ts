import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { RequestPace } from './requestpace.ts'

const paced = () => {
  const env = createSimEnv('pace')
  const pace = new RequestPace(env.clock)
  const pass = async (ms: number): Promise<void> => {
    let isOver = false
    env.clock.at(env.clock.steady() + ms, () => {
      isOver = true
    })
    await env.clock.run(() => isOver)
  }
  /** Who come again when they were told to, until each has had so many turns; the seconds at which turns were had. */
  const play = async (wants: Readonly<Record<string, number>>): Promise<[string, number][]> => {
    const left = new Map(Object.entries(wants))
    const due = new Map(Object.keys(wants).map((who) => [who, 0]))
    const turns: [string, number][] = []
    for (;;) {
      const open = [...left].filter(([, n]) => n > 0).map(([who]) => who)
      if (open.length === 0) return turns
      const next = Math.min(...open.map((who) => due.get(who)!))
      await pass(Math.max(0, next - env.clock.steady()))
      for (const who of open.filter((w) => due.get(w)! <= env.clock.steady())) {
        const waitMs = pace.take(who)
        if (waitMs === 0) {
          left.set(who, left.get(who)! - 1)
          turns.push([who, env.clock.steady()])
        } else due.set(who, env.clock.steady() + waitMs)
      }
    }
  }
  return { env, pace, pass, play }
}

const within = (turns: readonly [string, number][], spanMs: number): number =>
  Math.max(...turns.map(([, at]) => turns.filter(([, x]) => x >= at && x < at + spanMs).length))

describe('the pace of a credential', () => {
  it('60 writes a minute and 400 an hour, and no time is lost that need not be', async () => {
    const turns = await paced().play({ a: 500 })
    expect([within(turns, 60_000), within(turns, 3_600_000)]).toEqual([60, 400])
    const last = turns.at(-1)![1]
    expect(last).toBeGreaterThanOrEqual(3_600_000)
    expect(last).toBeLessThan(3_600_000 + 3 * 60_000)
  })

  it('is fair between namespaces: who wants one write does not wait for who wants hundreds', async () => {
    const { play, pace, pass } = paced()
    for (let i = 0; i < 60; i++) expect(pace.take('many')).toBe(0)
    await pass(1000)
    const turns = await play({ many: 120, few: 2 })
    const few = turns.filter(([who]) => who === 'few').map(([, at]) => at)
    expect(few[0]).toBeLessThanOrEqual(62_000)
    expect(few[1]).toBeLessThanOrEqual(63_000)
  })

  it('who does not come back for its turn keeps nobody waiting', async () => {
    const { pace, pass } = paced()
    for (let i = 0; i < 60; i++) pace.take('a')
    expect(pace.take('gone')).toBeGreaterThan(0)
    await pass(59_000)
    expect(pace.take('a')).toBeGreaterThan(0)
    await pass(32_000)
    expect(pace.take('a')).toBe(0)
  })

  it('one after the other, whatever becomes of the one before', async () => {
    const { pace } = paced()
    const seen: string[] = []
    const first = pace.alone(async () => {
      seen.push('first begins')
      await Promise.resolve()
      seen.push('first ends')
      throw new Error('lost')
    })
    const second = pace.alone(async () => void seen.push('second'))
    await expect(first).rejects.toThrow('lost')
    await second
    expect(seen).toEqual(['first begins', 'first ends', 'second'])
  })
})
