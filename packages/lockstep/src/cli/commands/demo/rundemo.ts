/** The demo from its beginning to its verdict. Loaded only by that command: it brings the whole API along. */
import { join } from 'node:path'
import type { Result } from '@lockstep/kube/env'
import { parseSources, readSources } from '../../kit/documents/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
} from '../../kit/index.ts'
import { FLEET_NAMESPACE } from '../../kit/localfleet/index.ts'
import { printData } from '../../kit/output/index.ts'
import { plural, type Terminal } from '../../kit/terminal/index.ts'
import { clockText, createDemoAudience } from './demoaudience.ts'
import { changeRequests, type DemoFleet, startDemoFleet } from './demofleet.ts'
import { type DemoEnding, type DemoPlatform, tellDemoStory } from './demostory.ts'
import { demoReport, drawDemoVerdict, verdictFacts } from './demoverdict.ts'
import { keepFleet } from './keepfleet.ts'

const NAMES = ['prod-ap', 'prod-eu', 'prod-sa', 'prod-uk', 'prod-us']

export interface DemoOptions {
  readonly clusters: number
  readonly seed: string
  /** Virtual seconds a real second. */
  readonly speed: number
  readonly pause: boolean
  readonly keep: boolean
}

/** Plays it; 1 when an invariant broke. A program gets the verdict, and people beside it the story on standard error. */
export async function runDemo(at: CommandContext, o: DemoOptions): Promise<CommandResult> {
  const c = at.globals.output === 'table' ? at : { ...at, terminal: onStandardError(at.terminal) }
  const platform = await readPlatform(c)
  if (!platform.ok) return platform
  const names = Array.from({ length: o.clusters }, (_, i) => NAMES[i] ?? `edge-${i - NAMES.length + 1}`)
  const { terminal: t } = c
  const begun = c.env.clock.steady()
  t.print(
    `${t.paint('bold', 'lockstep demo')}: ${plural(names.length, 'cluster')}, 4 modules, seed ${o.seed}   ${t.paint('dim', '(all in memory)')}`,
  )
  const fleet = await startDemoFleet(o.seed, names)
  const pace = { speed: o.speed, pause: o.pause }
  const ending = await tellDemoStory(fleet, platform.value, createDemoAudience(c, fleet, pace))
  const outcome = conclude(c, fleet, ending, o.seed, begun)
  const kept = o.keep && ending.type !== 'interrupted' ? await keepFleet(c, fleet) : undefined
  fleet.stop()
  // Whatever ends the keeping, a run that has failed has failed.
  return kept && (!kept.ok || outcome.ok) ? kept : outcome
}

const onStandardError = (t: Terminal): Terminal => ({
  ...t,
  look: { ...t.look, live: false },
  print: t.talk,
})

async function readPlatform(c: CommandContext): Promise<Result<DemoPlatform, CliFailure>> {
  const read = async (version: string) => {
    const sources = await readSources(c, [join(c.host.root, 'examples', 'platform', version)])
    if (!sources.ok) return sources
    const parsed = parseSources(sources.value, FLEET_NAMESPACE)
    const [bad] = parsed.failures
    return bad ? { ok: false as const, error: bad } : { ok: true as const, value: parsed.documents }
  }
  const v1 = await read('v1')
  if (!v1.ok) return v1
  const v2 = await read('v2')
  if (!v2.ok) return v2
  const fix = await read('v2-fix')
  return fix.ok ? { ok: true, value: { v1: v1.value, v2: v2.value, fix: fix.value } } : fix
}

function conclude(
  c: CommandContext,
  fleet: DemoFleet,
  ending: DemoEnding,
  seed: string,
  begun: number,
): CommandResult {
  const { terminal: t } = c
  if (ending.type === 'interrupted') {
    t.talk('Stopped. All data was in memory.')
    return { ok: true, value: INTERRUPTED }
  }
  const { tally, oracles, env } = fleet
  const cost = {
    hubWrites: tally.hub,
    clusterWrites: tally.clusters,
    requests: changeRequests(env),
    changed: tally.changed,
  }
  const verdicts = oracles.verdicts()
  t.print('')
  for (const line of drawDemoVerdict(t, cost, verdicts)) t.print(line)
  t.print('')
  printData(c, demoReport.fill({ seed, ...cost, invariants: verdicts.map(verdictFacts) }), [])
  if (ending.type === 'stuck')
    return failed('E_INVARIANT', { problem: `seed ${seed}: timed out; expected: ${ending.what}` })
  const broken = verdicts.filter((v) => v.violations.length > 0)
  if (broken.length > 0)
    return failed('E_INVARIANT', { problem: `seed ${seed}: ${broken.map((v) => v.id).join(', ')} broke` })
  const real = Math.round((c.env.clock.steady() - begun) / 1000)
  const took = `${clockText(env.clock.steady())} of the fleet's time in ${real} s`
  t.print(t.paint('green', `✔ No invariant broke. ${took}.`))
  t.print(`To repeat this run: lockstep demo --seed ${seed}`)
  t.print(`Next: ${t.paint('bold', 'lockstep up')} serves such a fleet for kubectl and your own Modules.`)
  return { ok: true, value: 0 }
}
