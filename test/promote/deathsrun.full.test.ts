/** P2: a process that dies at the n-th thing that it asks of anybody, and another one that goes on. */
import { describe, expect, it } from 'vitest'
import { withKnownSeeds } from '../seeds.ts'
import { failuresOf, runSeeds } from '../simulation/workers.ts'
import { WAYS } from './ways.ts'

describe('a promotion whose process dies before or after any of its writes, to the server, to Git or to the host', () => {
  it('is done once all the same, and ends as it does undisturbed', { timeout: 600_000 }, async () => {
    const results = await runSeeds(withKnownSeeds(WAYS.map((_, i) => `deaths-${i}`)))
    expect(failuresOf(results)).toEqual([])
    for (const r of results) expect(r.tested.deaths, r.seed).toBeGreaterThan(4)
  })
})
