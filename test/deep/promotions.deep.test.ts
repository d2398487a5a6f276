import { describe, expect, it } from 'vitest'
import { manyPipelines } from '../promote/manypipelines.ts'
import { failuresOf, runSeeds } from '../simulation/workers.ts'

/** Unless `LOCKSTEP_SEEDS` says otherwise; seeds that the short run does not have. */
const RUNS = Number(process.env.LOCKSTEP_SEEDS ?? 10_000)
const DEATHS = Math.ceil(RUNS / 50)
const FIRST = 1000
const DAY = 24 * 3_600_000

async function hold(prefix: string, runs: number, from: number): Promise<void> {
  const seeds = Array.from({ length: runs }, (_, i) => `${prefix}-${from + i}`)
  const results = await runSeeds(seeds, (r) => {
    for (const text of failuresOf([r])) process.stdout.write(`${text}\n`)
  })
  expect(failuresOf(results)).toEqual([])
}

describe('promotions', () => {
  it(`of ${DEATHS} seeds: killed before and after each thing that they ask for`, { timeout: DAY }, () =>
    hold('deaths', DEATHS, 1),
  )
  it(`of ${RUNS} random pipelines: done once, explained, and never lost`, { timeout: DAY }, () =>
    hold('promote', RUNS, FIRST),
  )
  it('P10: of 200 pipelines with one credential: 60 writes a minute, 400 an hour, and all get there', {
    timeout: DAY,
  }, async () => {
    const { unfinished, mostAMinute, mostAnHour } = await manyPipelines(200, 4 * 3600)
    expect([unfinished, mostAMinute <= 60, mostAnHour <= 400]).toEqual([[], true, true])
  })
})
