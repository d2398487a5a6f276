/** What is known of a server's time, by what it said and when. */
import { describe, expect, it } from 'vitest'
import { httpDate } from '../object/index.ts'
import { ServerClock } from './serverclock.ts'

const HOUR = 3_600_000
const NOON = Date.parse('2026-11-22T12:00:00Z')

/**
 * A client with a monotonic clock of its own, which counts `rate` seconds in one, and a server whose clock shows `serverMs`
 * when that begins.
 */
function pair(serverMs = NOON, rate = 1) {
  let time = 0
  let server = serverMs
  const steady = (): number => 5000 + time * rate
  const clock = new ServerClock({ now: () => 0, steady, at: () => () => {} })
  const pass = (ms: number): void => {
    time += ms
    server += ms
  }
  return {
    clock,
    pass,
    /** Somebody sets the server's clock. */
    set: (byMs: number) => {
      server += byMs
    },
    /** A request that takes `thereMs`, and an answer that takes `backMs`. */
    ask(thereMs = 0, backMs = 0) {
      const askedAt = steady()
      pass(thereMs)
      const said = httpDate(server)
      pass(backMs)
      clock.heard(said, askedAt)
    },
    /** By how much the server's clock shows more than is known; never less than nothing, if nothing is wrong. */
    behind: () => server - clock.time!.nowMs,
  }
}

describe('the time of a server', () => {
  it('is unknown until it has said something that is a time', () => {
    const { clock } = pair()
    expect(clock.time).toBeUndefined()
    clock.heard(undefined, 0)
    clock.heard('soon', 0)
    expect(clock.time).toBeUndefined()
  })

  it.each([
    { name: 'at the beginning of a second', first: 0, there: 0, back: 0, behind: 0, error: 1000 },
    { name: 'late in a second', first: 900, there: 0, back: 0, behind: 900, error: 1000 },
    { name: 'by a slow request', first: 0, there: 300, back: 0, behind: 300, error: 1300 },
    { name: 'by a slow answer', first: 0, there: 0, back: 300, behind: 300, error: 1300 },
  ])('is known $name to a second and the way there and back', ({ first, there, back, behind, error }) => {
    const { clock, ...p } = pair(NOON + first)
    p.ask(there, back)
    expect([p.behind(), clock.time!.errorMs]).toEqual([behind, error])
  })

  it('is known better by several answers; a slow one takes nothing away', () => {
    const { clock, ...p } = pair(NOON + 900)
    p.ask(5, 5)
    p.pass(95)
    p.ask(5, 5)
    const best = clock.time!.errorMs
    expect(best).toBeLessThan(150)
    p.ask(2000, 2000)
    expect(clock.time!.errorMs).toBeLessThan(best + 1000)
    expect(p.behind()).toBeGreaterThanOrEqual(0)
    expect(p.behind()).toBeLessThanOrEqual(clock.time!.errorMs)
  })

  it('goes on without answers, and is known less well', () => {
    const { clock, ...p } = pair()
    p.ask()
    p.pass(HOUR)
    expect(clock.time).toMatchObject({ errorMs: 1000 + 0.2 * HOUR, ageMs: HOUR, epoch: 0 })
    expect(p.behind()).toBe(0.1 * HOUR)
    p.ask()
    expect(clock.time).toMatchObject({ errorMs: 1000, ageMs: 0, epoch: 0 })
  })

  it.each([HOUR, -HOUR])('is what the last answer says once it contradicts what was known: %s', (by) => {
    const { clock, ...p } = pair()
    p.ask()
    p.set(by)
    p.ask()
    expect([p.behind(), clock.time!.errorMs, clock.time!.epoch]).toEqual([0, 1000, 1])
  })
})

describe('random answers', () => {
  it('never say that it is later than it is, nor earlier by more than the error, though a clock is 5 % wrong', () => {
    let state = 7
    const random = (most: number): number => {
      state = (state * 1103515245 + 12345) % 2147483648
      return state % most
    }
    for (let run = 0; run < 300; run++) {
      const { clock, ...p } = pair(NOON + random(100_000), 0.95 + random(101) / 1000)
      for (let i = 0; i < 20; i++) {
        p.pass(random(20_000))
        p.ask(random(400), random(400))
        expect(p.behind()).toBeGreaterThanOrEqual(0)
        expect(p.behind()).toBeLessThanOrEqual(clock.time!.errorMs)
      }
      p.ask()
      expect([clock.time!.errorMs <= 1000, clock.time!.epoch]).toEqual([true, 0])
    }
  })
})
