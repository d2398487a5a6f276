import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { nextPollIntervalMs } from './pollinterval.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)
const pair = (cluster: number, kind = 'configmaps') => ({ cluster: `cluster-${cluster}`, kind })

describe('checks', () => {
  const input = fc.record({
    cluster: fc.nat(100_000),
    intervalMs: fc.integer({ min: 30_000, max: 24 * 60 * MINUTE }),
    afterMs: fc.integer({ min: START, max: START + 1e10 }),
    restart: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  })
  it('any cluster, interval and moment', () => {
    decidesAlike(input, (x) => nextPollIntervalMs(pair(x.cluster), x.intervalMs, x.afterMs), {
      'are 0.9 to 1.1 intervals apart': (x, next) => {
        const gap = nextPollIntervalMs(pair(x.cluster), x.intervalMs, next) - next
        expect(gap).toBeGreaterThanOrEqual(0.9 * x.intervalMs - 1)
        expect(gap).toBeLessThanOrEqual(1.1 * x.intervalMs + 1)
        expect(next - x.afterMs).toBeGreaterThan(0)
        expect(next - x.afterMs).toBeLessThanOrEqual(1.1 * x.intervalMs + 1)
      },
      'come when they would have come without a restart': (x, next) => {
        const restartMs = Math.floor(x.afterMs + (next - x.afterMs) * x.restart)
        if (restartMs < next) expect(nextPollIntervalMs(pair(x.cluster), x.intervalMs, restartMs)).toBe(next)
      },
    })
  })

  it('with an interval of a minute leave two seconds for the repair until the 68th', () => {
    let last = START
    for (let i = 0; i < 2000; i++) {
      const next = nextPollIntervalMs(pair(7), MINUTE, last)
      expect(next - last).toBeLessThanOrEqual(66_001)
      last = next
    }
  })

  it('of 5,000 clusters are spread over the interval, also right after a restart of all', () => {
    // The shortest gap is nine minutes: from there on some have come once more.
    const bins = Array<number>(54).fill(0)
    for (let c = 0; c < 5000; c++) {
      const inMs = nextPollIntervalMs(pair(c), 10 * MINUTE, START + 123_456) - START - 123_456
      if (inMs < 9 * MINUTE) bins[Math.floor(inMs / 10_000)]!++
    }
    // 83 on average.
    expect(Math.min(...bins)).toBeGreaterThan(50)
    expect(Math.max(...bins)).toBeLessThan(120)
  })

  it('of two kinds on one cluster are at different times, and no gap is like the one before', () => {
    const times = (kind: string) => {
      const at = [nextPollIntervalMs(pair(1, kind), MINUTE, START)]
      while (at.length < 20) at.push(nextPollIntervalMs(pair(1, kind), MINUTE, at.at(-1)!))
      return at
    }
    const [a, b] = [times('a'), times('b')]
    expect(a.filter((t) => b.includes(t))).toEqual([])
    expect(new Set(a.slice(1).map((t, i) => t - a[i]!)).size).toBeGreaterThan(15)
  })
})
