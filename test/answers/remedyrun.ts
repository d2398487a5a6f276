/** The root cause that `why` names is true: with the remedy of its advice it ends, and does not come back. */
import { at, parseTimestampMs } from '../../packages/kube/src/object/index.ts'
import type { StoredFact } from '../../packages/lockstep/src/api/reasons/index.ts'
import type { Cause } from '../../packages/lockstep/src/decisions/answer/cause.ts'
import { type Start, simFleet } from '../fleet/simfleet.ts'
import { Story } from '../fleet/steps.ts'
import type { RunResult } from '../simulation/trace.ts'
import { playRun } from './answersrun.ts'
import { FrozenHub } from './frozenhub.ts'
import { type Root, remedies } from './remedies.ts'
import { Sampler } from './sampler.ts'

type FoundRoot = Root & Pick<Cause, 'until' | 'text'>

/** Minutes after the remedy at which the roots are read again. */
const LOOKS = [1, 3, 8, 15]
/** Units of one run. */
const MOST = 6

/** Root causes of a unit; none: it is ready. */
async function rootsOf(start: Start, unit: string): Promise<readonly FoundRoot[]> {
  const { report } = await new FrozenHub(start).run('why', unit)
  // The Module was removed.
  if (report === undefined) return []
  return (report as { readonly rootCauses: readonly FoundRoot[] }).rootCauses
}

/** Approvals of several stages have one label. */
const idOf = ({ module, cluster, label, reason, text }: FoundRoot): string =>
  `${reason} of ${module}@${cluster}: ${reason === 'AwaitingApproval' ? text : label}`

/** Undefined: the remedy of the first root cause ends it for good. */
export async function remedyProblem(start: Start, unit: string): Promise<string | undefined> {
  const [root] = await rootsOf(start, unit)
  if (!root) return undefined
  const said = `${unit}: ${idOf(root)}`
  const remedy = remedies[root.reason]
  if (!remedy) return `${said}: no remedy in test/answers/remedies.ts`
  const names = [...start.servers.keys()].filter((n) => n !== 'hub')
  const fleet = await simFleet('remedy', names, { from: { ...start, commits: [] }, unjudged: true })
  const story = new Story(fleet)
  const fact = factOf(start, root)
  await story.pass(5)
  await remedy({ story, root, fact })
  const begun = fleet.env.clock.now()
  const untilMs = (root.until === undefined ? undefined : parseTimestampMs(root.until)) ?? begun
  await story.pass(Math.max(0, untilMs - begun) / 1000)
  let goneAfter: number | undefined
  let before = 0
  for (const minutes of LOOKS) {
    await story.pass((minutes - before) * 60)
    before = minutes
    const isThere = (await rootsOf(fleet.freeze(), unit)).some((r) => idOf(r) === idOf(root))
    if (isThere && goneAfter !== undefined)
      return `${said}: gone after ${goneAfter} min, back after ${minutes}`
    if (!isThere) goneAfter ??= minutes
  }
  story.manager.stop()
  return goneAfter === undefined ? `${said}: still there 15 min after its remedy` : undefined
}

/** As it is stored: of the unit, else of its Module. */
function factOf(start: Start, { module, cluster, reason }: Root): StoredFact | undefined {
  const hub = new FrozenHub(start)
  const unit = hub
    .objects('inventories.lockstep.dev')
    .find((i) => i.metadata.name === `m.${module}.${cluster}`)
  const whole = hub.objects('modules.lockstep.dev').find((m) => m.metadata.name === module)
  const all = [unit, whole].flatMap(
    (o) => (o && (at(o, 'status', 'blockers') as unknown as StoredFact[])) ?? [],
  )
  return all.find((b) => b.reason === reason)
}

/** `remedy-rollout-3`: units that wait in `rollout-3`, each reason once. */
export async function remedyRun(seed: string): Promise<RunResult> {
  let sampler: Sampler | undefined
  const result = await playRun(seed.replace(/^remedy-/, ''), (fleet) => {
    sampler = new Sampler(fleet)
  })
  const problems: string[] = []
  const tested: Record<string, number> = {}
  for (const { start } of sampler!.samples)
    for (const unit of await waitingUnits(start)) {
      const [root] = await rootsOf(start, unit)
      if (!root || tested[root.reason] !== undefined || Object.keys(tested).length >= MOST) continue
      tested[root.reason] = 1
      const problem = await remedyProblem(start, unit).catch((e: unknown) => `${unit}: ${root.reason}: ${e}`)
      if (problem) problems.push(`${problem} (after ${start.at} ms)`)
    }
  return { ...result, seed, tested, problems }
}

async function waitingUnits(start: Start): Promise<string[]> {
  const { report } = await new FrozenHub(start).run('status')
  const { modules } = report as {
    modules: { name: string; units: Record<string, { state: string }> }[]
  }
  return modules.flatMap(({ name, units }) =>
    Object.entries(units).flatMap(([cluster, { state }]) =>
      state === 'ready' || state === 'none' ? [] : [`${name}@${cluster}`],
    ),
  )
}
