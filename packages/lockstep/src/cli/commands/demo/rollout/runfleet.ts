/** `demo fleet`: a bad release meets a fleet in stages. Loaded only by that command. */
import { z } from 'zod'
import { type CommandContext, type CommandResult, failed, INTERRUPTED } from '../../../kit/index.ts'
import { defineReport, printData } from '../../../kit/output/index.ts'
import { plural } from '../../../kit/terminal/index.ts'
import { clockText, type DemoPace } from '../demoaudience.ts'
import { type DemoFleet, startDemoFleet } from '../demofleet.ts'
import { invariantReport, resultRows, verdictFacts } from '../demoverdict.ts'
import { createFleetAudience } from './fleetaudience.ts'
import { BAD, type FleetEnding, promisesOf, type Regions, regionsOf, tellFleetStory } from './fleetstory.ts'

export const demoFleetReport = defineReport('DemoFleet', {
  seed: z.string(),
  clusters: z.int(),
  badReleaseOn: z.int().describe('Clusters to which the bad release was ever deployed.'),
  widest: z.int().describe('Most clusters that deployed at once.'),
  limit: z.int().describe('Most clusters that may deploy at once.'),
  invariants: invariantReport,
})

export interface FleetDemoOptions extends DemoPace {
  readonly clusters: number
  readonly seed: string
}

/** Plays it; 1 when an invariant broke, or one of the promises of the story. */
export async function runFleet(at: CommandContext, o: FleetDemoOptions): Promise<CommandResult> {
  const { terminal: t } = at
  const isForPeople = at.globals.output === 'table'
  const c: CommandContext = isForPeople
    ? at
    : { ...at, terminal: { ...t, look: { ...t.look, live: false }, print: t.talk } }
  const regions = regionsOf(o.clusters)
  const names = [...regions.values()].flat()
  const begun = at.env.clock.steady()
  c.terminal.print(
    `${t.paint('bold', 'lockstep demo fleet')}: ${plural(names.length, 'cluster')}, ${regions.size} stages, seed ${o.seed}   ${t.paint('dim', '(all in memory)')}`,
  )
  const fleet = await startDemoFleet(o.seed, names)
  const ending = await tellFleetStory(fleet, regions, createFleetAudience(c, fleet, regions, o))
  const outcome = conclude(c, fleet, regions, ending, { seed: o.seed, begun })
  fleet.stop()
  return outcome
}

function conclude(
  c: CommandContext,
  fleet: DemoFleet,
  regions: Regions,
  ending: FleetEnding,
  { seed, begun }: { readonly seed: string; readonly begun: number },
): CommandResult {
  const { terminal: t } = c
  if (ending.type === 'interrupted') {
    t.talk('Stopped. All data was in memory.')
    return { ok: true, value: INTERRUPTED }
  }
  const { sawBad, outside, widest, limit, all } = promisesOf(fleet.tally.commits, regions)
  const verdicts = fleet.oracles.verdicts()
  t.print('')
  t.print(
    `Release ${BAD} was on ${sawBad} of ${all} clusters. Deploying at once: at most ${widest} (limit ${limit}).`,
  )
  t.print('Invariants checked on every write:')
  for (const line of resultRows(t, verdicts)) t.print(line)
  t.print('')
  const facts = {
    seed,
    clusters: all,
    badReleaseOn: sawBad,
    widest,
    limit,
    invariants: verdicts.map(verdictFacts),
  }
  printData(c, demoFleetReport.fill(facts), [])
  const problem =
    ending.type === 'stuck'
      ? `timed out; expected: ${ending.what}`
      : outside.length > 0
        ? `the bad release got past the canaries: ${outside.slice(0, 3).join(', ')}`
        : widest > limit
          ? `${widest} clusters deploying (limit ${limit})`
          : verdicts.some((v) => v.violations.length > 0)
            ? `${verdicts
                .filter((v) => v.violations.length > 0)
                .map((v) => v.id)
                .join(', ')} broke`
            : undefined
  if (problem !== undefined) return failed('E_INVARIANT', { problem: `seed ${seed}: ${problem}` })
  const real = Math.round((c.env.clock.steady() - begun) / 1000)
  const took = `${clockText(fleet.env.clock.steady())} of the fleet's time in ${real} s`
  t.print(t.paint('green', `✔ No invariant broke. ${took}.`))
  t.print(`To repeat this run: lockstep demo fleet --seed ${seed}`)
  return { ok: true, value: 0 }
}
