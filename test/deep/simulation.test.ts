import { describe, expect, it } from 'vitest'
import { failuresOf, runSeeds } from '../simulation/workers.ts'

/** 10,000 unless `LOCKSTEP_SEEDS` says otherwise; seeds that the short run does not have. */
const RUNS = Number(process.env.LOCKSTEP_SEEDS ?? 10_000)
const FIRST = 1000

describe(`${RUNS} random platforms`, () => {
  it('hold every invariant and converge', { timeout: 24 * 3_600_000 }, async () => {
    const results = await runSeeds(Array.from({ length: RUNS }, (_, i) => String(FIRST + i)))
    expect(failuresOf(results)).toEqual([])
  })
})
