import { describe, expect, it } from 'vitest'
import { areTooManyRemovals, countedRemovals, type HubRemovals, withBegun } from './hubremovals.ts'
import { TOGETHER_MS } from './membership.ts'

const NOW = 1_000_000_000_000
const RECENT: HubRemovals = { sinceMs: NOW - 60_000, of: 60, begun: 20 }
const OLD: HubRemovals = { ...RECENT, sinceMs: NOW - TOGETHER_MS }

describe('removals over the whole hub', () => {
  it.each<[string, number, number, HubRemovals | undefined, boolean]>([
    ['24 of 24 units', 24, 24, undefined, false],
    ['25 of 25 units', 25, 25, undefined, true],
    ['half of 60 units', 60, 30, undefined, false],
    ['more than half of 60 units', 60, 31, undefined, true],
    ['25 of 1,000 units', 1000, 25, undefined, false],
    ['with 20 of 60 that began a minute ago, 10 more', 40, 10, RECENT, false],
    ['with 20 of 60 that began a minute ago, 11 more', 40, 11, RECENT, true],
    ['with 20 of 60 that began 10 minutes ago, 10 more', 40, 10, OLD, false],
    ['as long as they are held back', 40, 11, OLD, true],
    ['nothing waits', 40, 0, { ...RECENT, begun: 60 }, false],
  ])('%s', (_, units, waiting, removals, expected) => {
    expect(areTooManyRemovals({ units, waiting, removals, nowMs: NOW })).toBe(expected)
  })

  it('count from the first that begins, with the units that were there then', () => {
    const first = withBegun({ units: 60, removals: undefined, nowMs: NOW }, 3)
    expect(first).toEqual({ sinceMs: NOW, of: 60, begun: 3 })
    const second = withBegun({ units: 57, removals: first, nowMs: NOW + 60_000 }, 3)
    expect(second).toEqual({ sinceMs: NOW, of: 60, begun: 6 })
    const later = withBegun({ units: 54, removals: second, nowMs: NOW + TOGETHER_MS }, 3)
    expect(later).toEqual({ sinceMs: NOW + TOGETHER_MS, of: 54, begun: 3 })
    expect(countedRemovals({ units: 54, waiting: 0, removals: second, nowMs: NOW + TOGETHER_MS })).toBe(
      undefined,
    )
  })
})
