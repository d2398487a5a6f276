/** Random pipelines, faults, leaders and people: test/promote/random says what holds of each. */
import { describe, expect, it } from 'vitest'
import { withKnownSeeds } from '../seeds.ts'
import { failuresOf, runSeeds } from '../simulation/workers.ts'

const SEEDS = 12

describe('random pipelines, whoever leads, whatever goes wrong, and whatever people do', () => {
  it('promote each revision once, say why one is not there, and lose none', {
    timeout: 600_000,
  }, async () => {
    const results = await runSeeds(
      withKnownSeeds(Array.from({ length: SEEDS }, (_, i) => `promote-${i + 122}`)),
    )
    expect(failuresOf(results)).toEqual([])
    for (const id of [
      'D19',
      'I7',
      'I9',
      'I10',
      'I13',
      'I14',
      'I16',
      'P7',
      'P20',
      'one id',
      'once to a Module',
      'taken out',
    ])
      expect(
        results.reduce((sum, r) => sum + (r.tested[id] ?? 0), 0),
        id,
      ).toBeGreaterThan(0)
  })

  it('give the same trace for the same seed (I18)', { timeout: 60_000 }, async () => {
    const [first, second] = await runSeeds(['promote-same', 'promote-same'])
    expect(second).toEqual(first)
  })
})
