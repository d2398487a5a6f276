import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../test/arbitrary/decision.ts'
import { nextCheckMs, retryAtMs } from './retry.ts'

const MINUTE = 60_000

/** When something that always fails is tried, in seconds after a change at 0; an attempt takes no time. */
function attempts(untilMs: number, intervalMs: number): number[] {
  const at = [0]
  while (at.at(-1)! < untilMs)
    at.push(retryAtMs({ failures: at.length, failedMs: at.at(-1)!, changedMs: 0 }, intervalMs))
  return at.map((ms) => ms / 1000)
}

describe('what fails is tried again', () => {
  it('after 1, 2, 4, 8 and 15 s, then each 15 s', () => {
    expect(attempts(100_000, 10 * MINUTE)).toEqual([0, 1, 3, 7, 15, 30, 45, 60, 75, 90, 105])
  })

  it('for ten minutes, then each minute', () => {
    const late = attempts(900_000, 10 * MINUTE).filter((t) => t >= 570)
    expect(late).toEqual([570, 585, 600, 660, 720, 780, 840, 900])
  })

  it('or each interval, where that is shorter', () => {
    expect(attempts(700_000, 30_000).filter((t) => t >= 600)).toEqual([600, 630, 660, 690, 720])
  })

  it('never more than a minute later, with an interval of one: not in a day', () => {
    const at = attempts(24 * 60 * MINUTE, MINUTE)
    expect(Math.max(...at.slice(1).map((t, i) => t - at[i]!))).toBe(60)
  })

  it('from the first step on after a change, whenever that is', () => {
    const late = { failures: 1, failedMs: 20 * MINUTE, changedMs: 0 }
    expect(retryAtMs(late, MINUTE)).toBe(20 * MINUTE + 1000)
    const changed = { failures: 6, failedMs: 20 * MINUTE, changedMs: 15 * MINUTE }
    expect(retryAtMs(changed, MINUTE)).toBe(20 * MINUTE + 15_000)
  })
})

const START = Date.UTC(2026, 0, 1)
const pair = (cluster: number, set = 'crs1') => ({ clusterUid: `cluster-${cluster}`, setUid: set })

describe('checks', () => {
  const input = fc.record({
    cluster: fc.nat(100_000),
    intervalMs: fc.integer({ min: 30_000, max: 24 * 60 * MINUTE }),
    afterMs: fc.integer({ min: START, max: START + 1e10 }),
    restart: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  })
  it('any cluster, interval and moment', () => {
    decidesAlike(input, (x) => nextCheckMs(pair(x.cluster), x.intervalMs, x.afterMs), {
      'are 0.9 to 1.1 intervals apart': (x, next) => {
        const gap = nextCheckMs(pair(x.cluster), x.intervalMs, next) - next
        expect(gap).toBeGreaterThanOrEqual(0.9 * x.intervalMs - 1)
        expect(gap).toBeLessThanOrEqual(1.1 * x.intervalMs + 1)
        expect(next - x.afterMs).toBeGreaterThan(0)
        expect(next - x.afterMs).toBeLessThanOrEqual(1.1 * x.intervalMs + 1)
      },
      'come when they would have come without a restart': (x, next) => {
        const restartMs = Math.floor(x.afterMs + (next - x.afterMs) * x.restart)
        if (restartMs < next) expect(nextCheckMs(pair(x.cluster), x.intervalMs, restartMs)).toBe(next)
      },
    })
  })

  it('with an interval of a minute leave two seconds for the repair until the 68th', () => {
    let last = START
    for (let i = 0; i < 2000; i++) {
      const next = nextCheckMs(pair(7), MINUTE, last)
      expect(next - last).toBeLessThanOrEqual(66_001)
      last = next
    }
  })

  it('of 5,000 clusters are spread over the interval, also right after a restart of all', () => {
    const bins = Array<number>(60).fill(0)
    for (let c = 0; c < 5000; c++) {
      const inMs = nextCheckMs(pair(c), 10 * MINUTE, START + 123_456) - START - 123_456
      if (inMs < 10 * MINUTE) bins[Math.floor(inMs / 10_000)]!++
    }
    // 83 on average.
    expect(Math.min(...bins)).toBeGreaterThan(50)
    expect(Math.max(...bins)).toBeLessThan(120)
  })

  it('of two sets on one cluster are at different times, and no gap is like the one before', () => {
    const times = (set: string) => {
      const at = [nextCheckMs(pair(1, set), MINUTE, START)]
      while (at.length < 20) at.push(nextCheckMs(pair(1, set), MINUTE, at.at(-1)!))
      return at
    }
    const [a, b] = [times('a'), times('b')]
    expect(a.filter((t) => b.includes(t))).toEqual([])
    expect(new Set(a.slice(1).map((t, i) => t - a[i]!)).size).toBeGreaterThan(15)
  })
})
