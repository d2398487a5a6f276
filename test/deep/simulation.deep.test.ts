import { describe, expect, it } from 'vitest'
import { slowestOf } from '../simulation/lags.ts'
import type { RunResult } from '../simulation/trace.ts'
import { failuresOf, runSeeds } from '../simulation/workers.ts'

/** 10,000 unless `LOCKSTEP_SEEDS` says otherwise; seeds that the short run does not have. */
const RUNS = Number(process.env.LOCKSTEP_SEEDS ?? 10_000)
const FIRST = 1000
/** Each of two replicas for minutes: at least 2,000 of them are asked for. */
const TAKEOVERS = Math.ceil(RUNS / 4)
/** A run of hours says how far it is. */
const TELL_EVERY = 100

async function hold(seeds: readonly string[], what: string): Promise<readonly RunResult[]> {
  let done = 0
  let broken = 0
  const results = await runSeeds(seeds, (result) => {
    done++
    for (const text of failuresOf([result])) process.stdout.write(`${text}\n`)
    if (result.problems.length > 0) broken++
    if (done % TELL_EVERY === 0)
      process.stdout.write(`${done} of ${seeds.length} ${what}, ${broken} broken\n`)
  })
  expect(failuresOf(results)).toEqual([])
  return results
}

const DAY = 24 * 3_600_000
const seeds = (prefix: string, runs = RUNS): string[] =>
  Array.from({ length: runs }, (_, i) => `${prefix}${FIRST + i}`)

describe(`${RUNS} random`, () => {
  it('platforms hold every invariant and converge', { timeout: DAY }, () => hold(seeds(''), 'platforms'))
  it('networks with faults harm nothing, and all is delivered after them', { timeout: DAY }, () =>
    hold(seeds('faults-'), 'networks'),
  )
  it('graphs: nothing acts on a release before all that it needs is ready at it', { timeout: DAY }, () =>
    hold(seeds('graph-'), 'graphs'),
  )
  it('handovers delete nothing that a Module keeps, and everything in the end', { timeout: DAY }, () =>
    hold(seeds('handover-', Math.ceil(RUNS / 5)), 'handovers'),
  )
  it('rollouts keep to their stages, budgets, consents, windows and Holds', { timeout: DAY }, () =>
    hold(seeds('rollout-'), 'rollouts'),
  )
  it('operators in waves: nothing begins before what it waits for, and then at once', {
    timeout: DAY,
  }, async () => {
    const results = await hold(seeds('group-', Math.ceil(RUNS / 5)), 'races of operators')
    expect(slowestOf(results, 0.99)).toBeLessThan(50)
  })
  it(
    'applications between the waves of their group: each waits for what is before it, and all get there',
    {
      timeout: DAY,
    },
    () => hold(seeds('applications-', Math.ceil(RUNS / 5)), 'groups with applications'),
  )
  it('ClusterResourceSets apply nothing twice, and get everywhere in the end', { timeout: DAY }, () =>
    hold(seeds('set-'), 'stories of sets'),
  )
  it('replicas stand still at any write, and others take over', { timeout: DAY }, () =>
    hold(seeds('takeover-', TAKEOVERS), 'take-overs'),
  )
})
