import { describe, expect, it } from 'vitest'
import { clockSkewFacts, clockSkewOf } from './clockskew.ts'

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
    [HOUR, { skew: 'Ahead', by: '1h', limit: '30s' }],
    [HOUR - 1, { skew: 'Ahead', by: '1h', limit: '30s' }],
    [-45_000, { skew: 'Behind', by: '45s', limit: '30s' }],
    ['Unknown', { skew: 'Unknown', limit: '30s' }],
  ] as const)('%s: says so, with numbers', (skew, facts) => {
    expect(clockSkewFacts(skew)).toEqual(facts)
  })
})
