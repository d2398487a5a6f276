/** I36: all surfaces give one answer, in the states of the reference and in states of random runs. */
import { describe, expect, it } from 'vitest'
import { Story } from '../fleet/steps.ts'
import { withKnownSeeds } from '../seeds.ts'
import { failuresOf, runSeeds } from '../simulation/workers.ts'
import { rowsOfTier, TIER } from '../tier.ts'
import { disagreements } from './agreement.ts'
import { fleetStates } from './fleetstates.ts'
import { shownOf } from './shown.ts'
import { waitStates } from './waitstates.ts'

const MINUTES = 60_000

const seeds = (kinds: Readonly<Record<string, number>>, prefix: string): string[] =>
  withKnownSeeds(
    Object.entries(kinds).flatMap(([kind, n]) =>
      Array.from({ length: n }, (_, i) => `${prefix}-${kind}-${i}`),
    ),
  )

describe('all surfaces agree about state, root cause and exit codes', () => {
  it.each(
    rowsOfTier([...fleetStates, ...waitStates], (s) => `${s.conditions.slice(0, 3)} ${s.why} ${s.wait}`).map(
      (s) => [s.name, s] as const,
    ),
  )('%s', async (_, state) => {
    const story = await Story.begin(`answers ${state.name}`, ['c1', 'c2', 'c3'])
    await state.create(story)
    // Longer than any status waits.
    await story.pass(state.isBrief ? 5 : 60)
    const shown = await shownOf(story.fleet.freeze())
    expect(disagreements(shown, { isAtRest: true, hasEvents: true })).toEqual([])
    const [module, cluster] = state.unit
    const m = shown.find((x) => x.name === module)!
    const unit = m.units.find((u) => u.cluster === cluster)!
    expect({
      conditions: `${m.conditions} ${m.reasons.Ready}`,
      why: unit.why.exit,
      wait: m.wait,
      roots: unit.why.roots,
    }).toEqual({ conditions: state.conditions, why: state.why, wait: state.wait, roots: state.roots })
  })

  it.skipIf(TIER === 'short')('in states of random runs', { timeout: 30 * MINUTES }, async () => {
    const kinds = { small: 4, faults: 8, graph: 3, rollout: 12, set: 4, handover: 12 }
    const results = await runSeeds(seeds(kinds, 'answers'))
    expect(failuresOf(results)).toEqual([])
    const sum = (id: string): number => results.reduce((n, r) => n + (r.tested[id] ?? 0), 0)
    expect(sum('states')).toBeGreaterThanOrEqual(2500)
    // Modules and units to which no controller has written for a while.
    expect(sum('atRest')).toBeGreaterThanOrEqual(500)
    expect(sum('waiting')).toBeGreaterThanOrEqual(900)
  })
})
