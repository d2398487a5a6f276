/** The root cause that `why` names is true: with the remedy of its advice it ends, and does not come back. */
import { at, parseTimestampMs } from '../../packages/kube/src/object/index.ts'
import type { StoredFact } from '../../packages/lockstep/src/api/reasons/index.ts'
import type { Cause } from '../../packages/lockstep/src/decisions/answer/cause.ts'
import { type Start, simFleet } from '../fleet/simfleet.ts'
import { Story } from '../fleet/steps.ts'
import type { RunResult } from '../simulation/trace.ts'
import { playRun } from './answersrun.ts'
import { FrozenHub } from './frozenhub.ts'
import { passes, type Root, remedies } from './remedies.ts'
import { Sampler } from './sampler.ts'

type FoundRoot = Root & Pick<Cause, 'until' | 'text'>

/** Minutes after the remedy at which the roots are read again. */
const LOOKS = [1, 3, 8, 15]
/** Forks of one run. */
const MOST = 10

/** Root causes of a unit; none: it is ready. */
async function rootsOf(hub: FrozenHub, unit: string): Promise<readonly FoundRoot[]> {
  const { report } = await hub.run('why', unit)
  // The Module was removed.
  if (report === undefined) return []
  return (report as { readonly rootCauses: readonly FoundRoot[] }).rootCauses
}

/**
 * Approvals of several stages have one label. A rollback has the dependencies of its revision: after a remedy that changes the
 * spec, it may need another release of the same Module.
 */
const TOLD_BY_TEXT: ReadonlySet<string> = new Set(['AwaitingApproval', 'ReleaseMismatch'])

const idOf = ({ module, cluster, label, reason, text }: FoundRoot): string =>
  `${reason} of ${module}@${cluster}: ${TOLD_BY_TEXT.has(reason) ? text : label}`

/** A unit that waits, and the first of its root causes. */
interface WaitingUnit {
  readonly unit: string
  readonly root: FoundRoot
}

/** Undefined: the remedy of the first root cause ends it for good. */
export async function remedyProblem(start: Start, unit: string): Promise<string | undefined> {
  const [root] = await rootsOf(new FrozenHub(start), unit)
  return root && (await tryRemedy(start, [{ unit, root }])).problems[0]
}

interface Tried {
  /** Units that waited until the remedy. */
  readonly pairs: number
  readonly problems: readonly string[]
}

/** One remedy ends the root causes of all these units: they have one, or all of them end without a change. */
async function tryRemedy(start: Start, waiting: readonly WaitingUnit[]): Promise<Tried> {
  const { root } = waiting[0]!
  const remedy = remedies[root.reason]
  if (!remedy) return { pairs: 0, problems: [`${idOf(root)}: no remedy in test/answers/remedies.ts`] }
  const names = [...start.servers.keys()].filter((n) => n !== 'hub')
  const fleet = await simFleet('remedy', names, { from: { ...start, commits: [] }, unjudged: true })
  const story = new Story(fleet)
  await story.pass(5)
  // A wait in the middle of things may have ended without its remedy.
  const units = remedy === passes ? waiting : await stillWaiting(new FrozenHub(fleet.freeze()), waiting)
  if (units.length === 0) {
    story.manager.stop()
    return { pairs: 0, problems: [] }
  }
  await remedy({ story, root, fact: factOf(start, root) })
  const begun = fleet.env.clock.now()
  const untilMs = (root.until === undefined ? undefined : parseTimestampMs(root.until)) ?? begun
  await story.pass(Math.max(0, untilMs - begun) / 1000)
  const goneAfter = new Map<string, number>()
  const back: string[] = []
  let before = 0
  for (const minutes of LOOKS) {
    await story.pass((minutes - before) * 60)
    before = minutes
    const hub = new FrozenHub(fleet.freeze())
    for (const w of units) {
      const isThere = await isWaiting(hub, w)
      const known = goneAfter.get(w.unit)
      if (isThere && known !== undefined)
        back.push(`${w.unit}: ${idOf(w.root)}: gone after ${known} min, back after ${minutes}`)
      if (!isThere && known === undefined) goneAfter.set(w.unit, minutes)
    }
  }
  story.manager.stop()
  const left = units.filter((w) => !goneAfter.has(w.unit))
  const lasting = left.map((w) => `${w.unit}: ${idOf(w.root)}: still there 15 min after its remedy`)
  return { pairs: units.length, problems: [...back, ...lasting] }
}

const isWaiting = async (hub: FrozenHub, { unit, root }: WaitingUnit): Promise<boolean> =>
  (await rootsOf(hub, unit)).some((r) => idOf(r) === idOf(root))

async function stillWaiting(hub: FrozenHub, units: readonly WaitingUnit[]): Promise<WaitingUnit[]> {
  const still: WaitingUnit[] = []
  for (const w of units) if (await isWaiting(hub, w)) still.push(w)
  return still
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

/** `remedy-rollout-3`: units that wait in `rollout-3`, each with each of its root causes once. */
export async function remedyRun(seed: string): Promise<RunResult> {
  let sampler: Sampler | undefined
  const result = await playRun(seed.replace(/^remedy-/, ''), (fleet) => {
    sampler = new Sampler(fleet)
  })
  const problems: string[] = []
  const tried = new Set<string>()
  const pairOf = ({ unit, root }: WaitingUnit): string => `${unit} ${idOf(root)}`
  const tested = { pairs: 0, forks: 0 }
  for (const { start } of sampler!.samples) {
    if (tested.forks >= MOST) break
    for (const group of groupsOf(await waitingUnits(start))) {
      const units = group.filter((w) => !tried.has(pairOf(w)))
      if (units.length === 0 || tested.forks >= MOST) continue
      tested.forks += 1
      for (const w of units) tried.add(pairOf(w))
      const found = await tryRemedy(start, units).catch((e: unknown) => ({
        pairs: 0,
        problems: [`${idOf(units[0]!.root)}: ${e}`],
      }))
      tested.pairs += found.pairs
      problems.push(...found.problems.map((p) => `${p} (after ${start.at} ms)`))
    }
  }
  return { ...result, seed, tested, problems }
}

/** Units that one remedy helps. */
function groupsOf(units: readonly WaitingUnit[]): WaitingUnit[][] {
  const groups = new Map<string, WaitingUnit[]>()
  for (const w of units) {
    const key = remedies[w.root.reason] === passes ? `passes ${w.root.until}` : idOf(w.root)
    groups.set(key, [...(groups.get(key) ?? []), w])
  }
  return [...groups.values()]
}

async function waitingUnits(start: Start): Promise<WaitingUnit[]> {
  const hub = new FrozenHub(start)
  const { report } = await hub.run('status')
  const { modules } = report as {
    modules: { name: string; units: Record<string, { state: string }> }[]
  }
  const found: WaitingUnit[] = []
  for (const { name, units } of modules)
    for (const [cluster, { state }] of Object.entries(units)) {
      if (state === 'ready' || state === 'none') continue
      const [root] = await rootsOf(hub, `${name}@${cluster}`)
      if (root) found.push({ unit: `${name}@${cluster}`, root })
    }
  return found
}
