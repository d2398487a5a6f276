/** Random cluster groups whose applications are Modules: test/simulation/applications says what holds of each. */
import { describe, expect, it } from 'vitest'
import { withKnownSeeds } from '../seeds.ts'
import { failuresOf, runSeeds } from './workers.ts'

const SEEDS = 6

describe('random groups with applications, whatever dies, breaks, is held or goes back', () => {
  it('write nothing of a wave before what is in earlier ones, and get to what was wanted last', {
    timeout: 300_000,
  }, async () => {
    const results = await runSeeds(
      withKnownSeeds(Array.from({ length: SEEDS }, (_, i) => `applications-${i + 4}`)),
    )
    expect(failuresOf(results)).toEqual([])
    for (const id of ['I1', 'I2', 'I4'])
      expect(
        results.reduce((sum, r) => sum + (r.tested[id] ?? 0), 0),
        id,
      ).toBeGreaterThan(0)
  })

  it('give the same trace for the same seed (I18)', { timeout: 60_000 }, async () => {
    const [first, second] = await runSeeds(['applications-same', 'applications-same'])
    expect(second).toEqual(first)
  })
})
