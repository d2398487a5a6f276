/** The named root cause is the true one: with the remedy that its advice names it ends, and does not come back. */
import { describe, expect, it } from 'vitest'
import { Story } from '../fleet/steps.ts'
import { withKnownSeeds } from '../seeds.ts'
import { failuresOf, runSeeds } from '../simulation/workers.ts'
import { rowsOfTier, TIER } from '../tier.ts'
import { fleetStates } from './fleetstates.ts'
import { remedyProblem } from './remedyrun.ts'
import { waitStates } from './waitstates.ts'

const MINUTES = 60_000
const IS_SAMPLE = TIER === 'short'
const WAITING = [...fleetStates, ...waitStates].filter((s) => s.roots.length > 0)

describe('a root cause ends with its remedy', () => {
  it.each(rowsOfTier(WAITING, (s) => s.conditions.slice(0, 3)).map((s) => [s.name, s] as const))(
    '%s',
    async (_, state) => {
      const story = await Story.begin(`remedy ${state.name}`, ['c1', 'c2', 'c3'])
      await state.create(story)
      await story.pass(state.isBrief ? 5 : 60)
      const start = story.fleet.freeze()
      story.manager.stop()
      expect(await remedyProblem(start, state.unit.join('@'))).toBeUndefined()
    },
  )

  it.skipIf(IS_SAMPLE)('of units that wait in random runs', { timeout: 30 * MINUTES }, async () => {
    const kinds = { small: 6, graph: 6, rollout: 14, handover: 12, faults: 12 }
    const seeds = Object.entries(kinds).flatMap(([kind, n]) =>
      Array.from({ length: n }, (_, i) => `remedy-${kind}-${i}`),
    )
    const results = await runSeeds(withKnownSeeds(seeds))
    expect(failuresOf(results)).toEqual([])
    const pairs = results.reduce((n, r) => n + r.tested.pairs!, 0)
    // Each pair is a unit and its root cause.
    expect(pairs).toBeGreaterThanOrEqual(500)
  })
})
