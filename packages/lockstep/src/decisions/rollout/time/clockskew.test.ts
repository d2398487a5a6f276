import { describe, expect, it } from 'vitest'
import { clockSkewOf, clockSkewText } from './clockskew.ts'

const HOUR = 3_600_000
const hub = (nowMs: number, errorMs = 0) => ({ nowMs, errorMs })

describe('two clocks', () => {
  it.each([
    { name: 'the same', own: HOUR, of: hub(HOUR), skew: undefined },
    { name: '30 s ahead', own: HOUR + 30_000, of: hub(HOUR), skew: undefined },
    { name: '30 s behind', own: HOUR - 30_000, of: hub(HOUR), skew: undefined },
    { name: 'a little more ahead', own: HOUR + 30_001, of: hub(HOUR), skew: 30_001 },
    { name: 'a little more behind', own: HOUR - 30_001, of: hub(HOUR), skew: -30_001 },
    { name: 'an hour behind', own: 0, of: hub(HOUR), skew: -HOUR },
    // The middle of what the hub's time may be.
    { name: 'known to a second', own: HOUR + 30_400, of: hub(HOUR, 1000), skew: undefined },
    { name: 'never said', own: HOUR, of: undefined, skew: 'Unknown' },
  ])('$name', ({ own, of, skew }) => {
    expect(clockSkewOf(of, own)).toBe(skew)
  })

  it.each([
    [HOUR, "this controller's clock is about 1h ahead of the hub's API server"],
    [HOUR - 1, "this controller's clock is about 1h ahead"],
    [-45_000, "this controller's clock is about 45s behind the hub's API server"],
    ['Unknown', "the answers of the hub's API server do not say what time it is"],
  ] as const)('%s: says so, with numbers', (skew, text) => {
    expect(clockSkewText(skew)).toContain(text)
  })
})
