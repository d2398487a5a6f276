import { describe, expect, it } from 'vitest'
import { withKnownSeeds } from '../seeds.ts'
import { TIER } from '../tier.ts'
import { FAULT_CLASSES } from './faults/faults.ts'
import { slowestOf } from './lags.ts'
import type { RunResult } from './trace.ts'
import { failuresOf, runSeeds } from './workers.ts'

const MINUTES = 60_000
const replayed = process.env.LOCKSTEP_SEED
/** The short tier plays one seed in 60, and the seeds that broke a test: too few to reach every invariant. */
const IS_SAMPLE = TIER === 'short'
const PART = IS_SAMPLE ? 1 / 60 : 1

const seeds = (prefix: string, all: number): string[] =>
  withKnownSeeds(Array.from({ length: Math.ceil(all * PART) }, (_, i) => `${prefix}-${i}`))

/** How often the seeds tested something. */
const sumOf = (results: readonly RunResult[], id: string): number =>
  results.reduce((sum, r) => sum + (r.tested[id] ?? 0), 0)

describe('random platforms, releases in any order, edits, crashes at any write, lost answers', () => {
  it.skipIf(replayed !== undefined)(
    'hold every invariant and converge',
    { timeout: 30 * MINUTES },
    async () => {
      const results = await runSeeds(seeds('small', 24))
      expect(failuresOf(results)).toEqual([])
      if (IS_SAMPLE) return
      for (const id of ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8', 'I11', 'I12', 'I14', 'I17']) {
        expect(sumOf(results, id), id).toBeGreaterThan(20)
      }
    },
  )

  it.skipIf(IS_SAMPLE || replayed !== undefined)(
    'of networks: refused, wrong, late, repeated and missing answers harm nothing, and all is delivered after them',
    { timeout: 30 * MINUTES },
    async () => {
      const results = await runSeeds(seeds('faults', 200))
      expect(failuresOf(results)).toEqual([])
      for (const { name } of FAULT_CLASSES) expect(sumOf(results, `fault ${name}`), name).toBeGreaterThan(20)
    },
  )

  it.skipIf(replayed !== undefined)(
    'of graphs: nothing acts on a release before all that it needs is ready at it',
    { timeout: 10 * MINUTES },
    async () => {
      const results = await runSeeds(seeds('graph', 16))
      expect(failuresOf(results)).toEqual([])
      if (IS_SAMPLE) return
      expect(sumOf(results, 'I1')).toBeGreaterThan(80)
    },
  )

  it.skipIf(replayed !== undefined)(
    'of handovers: no object that a Module keeps is deleted, each wait is true, and in the end everything can be deleted',
    { timeout: 20 * MINUTES },
    async () => {
      const results = await runSeeds(seeds('handover', 60))
      expect(failuresOf(results)).toEqual([])
      if (IS_SAMPLE) return
      for (const id of [
        'I34',
        'I35',
        'handed',
        'renames',
        'moves',
        'splits',
        'merges',
        'recreates',
        'relabels',
        'confirmed',
      ])
        expect(sumOf(results, id), id).toBeGreaterThan(5)
    },
  )

  it.skipIf(replayed !== undefined)(
    'of operators in waves: nothing begins before what it waits for, and then at once, without a pod',
    { timeout: 10 * MINUTES },
    async () => {
      const results = await runSeeds(seeds('group', 48))
      expect(failuresOf(results)).toEqual([])
      // A sample may have no waits.
      if (IS_SAMPLE) return
      expect(slowestOf(results, 0.99)).toBeLessThan(50)
      expect(sumOf(results, 'waits')).toBeGreaterThan(48)
    },
  )

  it.skipIf(replayed !== undefined)(
    'of two replicas, of which one stands still at some write: the other one takes over',
    { timeout: 10 * MINUTES },
    async () => {
      const results = await runSeeds(seeds('takeover', 12))
      expect(failuresOf(results)).toEqual([])
      if (IS_SAMPLE) return
      // Another replica led; a write was not sent; a write came too late.
      expect(sumOf(results, 'I10')).toBeGreaterThan(500)
      expect(sumOf(results, 'I3')).toBeGreaterThan(40)
      expect(sumOf(results, 'unsent')).toBeGreaterThan(0)
      expect(sumOf(results, 'refused')).toBeGreaterThan(0)
    },
  )

  it.skipIf(replayed !== undefined)(
    'of rollouts: stages, budgets, consent, windows and Holds are kept, whatever dies or is cut off',
    { timeout: 10 * MINUTES },
    async () => {
      const results = await runSeeds(seeds('rollout', 16))
      expect(failuresOf(results)).toEqual([])
      if (IS_SAMPLE) return
      for (const id of ['I3', 'I20', 'I21', 'I24', 'I25', 'I26', 'dies', 'sleeps', 'is cut off'])
        expect(sumOf(results, id), id).toBeGreaterThan(5)
    },
  )

  it.skipIf(IS_SAMPLE || replayed !== undefined)(
    'give the same trace for the same seed, and another for another (I18)',
    { timeout: MINUTES },
    async () => {
      const [first, second, other] = await runSeeds(['same', 'same', 'other'])
      expect(first!.commits).toBeGreaterThan(60)
      expect(second).toEqual(first)
      expect(other!.trace).not.toBe(first!.trace)
    },
  )

  it.runIf(replayed !== undefined)(`seed ${replayed}`, { timeout: MINUTES }, async () => {
    expect(failuresOf(await runSeeds([replayed!]))).toEqual([])
  })
})
