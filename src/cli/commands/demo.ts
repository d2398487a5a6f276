import { join } from 'node:path'
import type { Result } from '../../env/result.ts'
import { type Command, type Context, isSet, numberFlag, textFlag } from '../command.ts'
import { clockText, createAudience } from '../demo/draw.ts'
import { changeRequests, type DemoFleet, startDemoFleet } from '../demo/fleet.ts'
import { keepUp } from '../demo/keep.ts'
import { type Ending, type Platform, tell } from '../demo/story.ts'
import { drawVerdict } from '../demo/verdict.ts'
import { parseSources } from '../documents/parse.ts'
import { readSources } from '../documents/read.ts'
import { type CliFailure, failed, INTERRUPTED, type Outcome } from '../failure.ts'
import { FLEET_NAMESPACE } from '../local/fleet.ts'
import { plural } from '../terminal/text.ts'

const NAMES = ['prod-ap', 'prod-eu', 'prod-sa', 'prod-uk', 'prod-us']

/** `lockstep demo`. */
export const demo: Command = {
  name: 'demo',
  summary: 'Run a whole fleet in this process and watch it move',
  detail:
    'Embedded clusters in memory, the real controllers, and a platform from examples/: a release goes out, the next one fails on one cluster and is repaired, modules leave. Every write is checked. Exit 1 if an invariant broke.',
  options: [
    { flags: '--clusters <n>', text: 'clusters beside the hub', default: '5' },
    { flags: '--seed <n>', text: 'equal seeds give equal runs', default: '42' },
    { flags: '--speed <x>', text: "seconds of the fleet's time in one second", default: '6' },
    { flags: '--pause', text: 'wait for Enter before each chapter' },
    { flags: '--keep', text: 'leave the fleet up for kubectl at the end' },
  ],
  examples: [
    ['Half a minute, from the beginning to the end', 'demo'],
    ['Step by step, and look around with kubectl afterwards', 'demo --pause --keep'],
    ['Another order of events', 'demo --seed 7 --clusters 8'],
  ],
  async run(c, _args, flags) {
    const clusters = numberFlag(flags, 'clusters', { min: 3, max: 50 })
    if (!clusters.ok) return clusters
    const speed = numberFlag(flags, 'speed', { min: 0.1, max: 1000, whole: false })
    if (!speed.ok) return speed
    const seed = textFlag(flags, 'seed')!
    const platform = await readPlatform(c)
    if (!platform.ok) return platform
    const names = Array.from({ length: clusters.value }, (_, i) => NAMES[i] ?? `edge-${i - NAMES.length + 1}`)
    const { terminal: t } = c
    const begun = c.env.clock.steady()
    t.print(
      `${t.paint('bold', 'lockstep demo')}: ${plural(names.length, 'cluster')}, 4 modules, seed ${seed}   ${t.paint('dim', '(embedded API, in memory, nothing left behind)')}`,
    )
    const fleet = await startDemoFleet(seed, names)
    const pace = { speed: speed.value, pause: isSet(flags, 'pause') }
    const ending = await tell(fleet, platform.value, createAudience(c, fleet, pace))
    const outcome = conclude(c, fleet, ending, seed, begun)
    if (isSet(flags, 'keep') && ending.type !== 'interrupted') {
      const kept = await keepUp(c, fleet)
      if (!kept.ok) return kept
    }
    fleet.stop()
    return outcome
  },
}

async function readPlatform(c: Context): Promise<Result<Platform, CliFailure>> {
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

function conclude(c: Context, fleet: DemoFleet, ending: Ending, seed: string, begun: number): Outcome {
  const { terminal: t } = c
  if (ending.type === 'interrupted') {
    t.talk('Stopped; nothing is left behind.')
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
  for (const line of drawVerdict(t, cost, verdicts)) t.print(line)
  t.print('')
  if (ending.type === 'stuck')
    return failed('E_INVARIANT', { problem: `seed ${seed}: waited in vain until ${ending.what}` })
  const broken = verdicts.filter((v) => v.violations.length > 0)
  if (broken.length > 0)
    return failed('E_INVARIANT', { problem: `seed ${seed}: ${broken.map((v) => v.id).join(', ')} broke` })
  const real = Math.round((c.env.clock.steady() - begun) / 1000)
  const took = `${clockText(env.clock.steady())} of the fleet's time in ${real} s`
  t.print(t.paint('green', `✔ No invariant broke. ${took}; seed ${seed} gives the same run again.`))
  t.print(
    `Next: ${t.paint('bold', 'lockstep up')} serves such a fleet for kubectl and for Modules of your own.`,
  )
  return { ok: true, value: 0 }
}
