import { ok } from '@lockstep/kube/env'
import { leaseKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { CAPI_LEASE, CAPI_NAMESPACE, type ClusterResourceSet } from '../../../api/kinds/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  durationFlag,
  failed,
  isSet,
  nameOf,
  textFlag,
} from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import {
  allOption,
  askManaged,
  drawHandback,
  type FollowSet,
  type FollowSetResult,
  followResult,
  followSet,
  type GivenSet,
  handBackReport,
  handbackStateOf,
  inNamespace,
  isHeld,
  lacksBack,
  leftAfter,
  type SelectedSets,
  type StrippedCluster,
  selectSets,
  stripSet,
} from '../../kit/sets/index.ts'
import { fit } from '../../kit/terminal/index.ts'

/** `lockstep handback`. */
export const handbackCommand: Command = {
  name: 'handback',
  summary: 'Give ClusterResourceSets back to Cluster API',
  arguments: '<kind> [names...]',
  completes: ['setKind', 'set'],
  selects: ['allNamespaces'],
  detail:
    'KIND is crs. Shows what would stay of Lockstep. With --yes, lockstep.dev/managed is taken off; Lockstep finishes what it is writing, leaves bindings that say what was applied last, and lifts its pause, and the command waits until Cluster API says so. Nothing is deleted or applied. With --strip, label and annotations of Lockstep are then taken off the objects of the set, on all clusters that it is on: one request an object. Exit 1 where Cluster API could not go on: spec.strategy is Continuous, or there is no Cluster API; and where a cluster could not be stripped.',
  options: [
    allOption,
    { flags: '--yes', text: 'do it; without, nothing is changed' },
    { flags: '--strip', text: 'then take the marks of Lockstep off the objects on clusters' },
    { flags: '--timeout <duration>', text: 'how long it may take', default: '60s' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['What would stay of Lockstep?', 'handback crs shop -n sets'],
    ['Give it back', 'handback crs shop --yes -n sets'],
    ['And nothing of Lockstep is to stay on clusters', 'handback crs shop --strip --yes -n sets'],
    ['All of the hub, before Lockstep goes', 'handback crs --all -A --yes'],
  ],
  async run(c, args, flags) {
    const given = textFlag(flags, 'timeout')!
    const timeout = durationFlag('timeout', given)
    if (!timeout.ok) return timeout
    const meant = await selectSets(c, args, flags)
    if (!meant.ok) return meant
    const isStripped = isSet(flags, 'strip')
    const todo = meant.value.sets.map((set) => plannedFor(meant.value, set, isStripped))
    return isSet(flags, 'yes')
      ? giveBack(c, meant.value, todo, { timeout: { given, ms: timeout.value }, isStripped })
      : propose(c, meant.value, todo, isStripped)
  },
}

interface HandbackTask {
  readonly set: Stored<ClusterResourceSet>
  readonly given: GivenSet
}

function plannedFor(
  { kinds, isOwnDefinition }: SelectedSets,
  set: Stored<ClusterResourceSet>,
  isStripped: boolean,
): HandbackTask {
  const { name, namespace = '' } = set.metadata
  const standing = handbackStateOf(set, kinds.set.version, isOwnDefinition)
  const head = { name, namespace }
  return standing.state === 'Ours'
    ? { set, given: { ...head, state: 'Planned', message: '', left: leftAfter(set, isStripped) } }
    : { set, given: { ...head, ...standing, left: [] } }
}

function propose(
  c: CommandContext,
  meant: SelectedSets,
  todo: readonly HandbackTask[],
  isStripped: boolean,
): CommandResult {
  show(c, meant, todo)
  const isDue = ({ given: { state } }: HandbackTask) =>
    state === 'Planned' || (isStripped && state === 'NotManaged')
  const due = todo.filter(isDue)
  if (due.length > 0) {
    const [{ set }] = due as [HandbackTask]
    const which = due.map((t) => t.set.metadata.name).join(' ')
    const how = c.globals.allNamespaces ? 'crs --all -A' : `crs ${which}${inNamespace(set)}`
    c.terminal.talk(
      fit(
        c.terminal.look,
        `Nothing was changed. To give back: lockstep handback ${how}${isStripped ? ' --strip' : ''} --yes`,
      ),
    )
  }
  return followResult([], refusals(meant, todo))
}

/** What cannot be given back is refused, and the rest is given back all the same. */
async function giveBack(
  c: CommandContext,
  meant: SelectedSets,
  todo: readonly HandbackTask[],
  { timeout, isStripped }: { readonly timeout: FollowSet['timeout']; readonly isStripped: boolean },
): Promise<CommandResult> {
  const isRunning = await isUpstreamRunning(c, meant)
  const done = await Promise.all(
    todo.map(async (t): Promise<HandbackFollow> => {
      const followed =
        t.given.state === 'Planned' ? await giveOne(c, meant, t, { timeout, isRunning }) : undefined
      const given = { ...t.given, ...afterwards(followed) }
      const isTheirs = given.state === 'HandedBack' || given.state === 'NotManaged'
      const off = isStripped && isTheirs ? await stripSet(c, meant, t.set) : ok(undefined)
      if (!off.ok) return { set: t.set, given, followed, failures: [off.error] }
      const stripped = off.value
      return {
        set: t.set,
        followed,
        failures: stripFailures(meant, t.set, stripped),
        given: stripped ? { ...given, stripped } : given,
      }
    }),
  )
  show(c, meant, done)
  return followResult(
    done.flatMap((d) => d.followed ?? []),
    [...refusals(meant, todo), ...done.flatMap((d) => d.failures)],
  )
}

interface HandbackFollow extends HandbackTask {
  readonly followed: FollowSetResult | undefined
  readonly failures: readonly CliFailure[]
}

/** It is Cluster API's all the same; what is left can be taken off another time. */
function stripFailures(
  { kinds }: SelectedSets,
  set: Stored<ClusterResourceSet>,
  stripped: readonly StrippedCluster[] = [],
): CliFailure[] {
  const ref = nameOf(kinds.set, set.metadata.name)
  const again = `lockstep handback crs ${set.metadata.name} --strip --yes${inNamespace(set)}`
  return stripped.flatMap(({ cluster, problem }) =>
    problem === undefined
      ? []
      : [
          failed('E_REFUSED', {
            ref,
            problem: `marks of Lockstep stay on ${cluster}: ${problem}`,
            suggestion: `Once that is put right: ${again}`,
          }).error,
        ],
  )
}

function afterwards(followed: FollowSetResult | undefined): Partial<GivenSet> {
  switch (followed?.how) {
    case 'met':
      return { state: 'HandedBack' }
    case 'lost':
      return { state: 'Asked', message: followed.failure.message }
    case 'interrupted':
      return { state: 'Asked', message: 'interrupted; what was asked for goes on' }
    default:
      return {}
  }
}

async function giveOne(
  c: CommandContext,
  meant: SelectedSets,
  { set }: HandbackTask,
  { timeout, isRunning }: { readonly timeout: FollowSet['timeout']; readonly isRunning: boolean },
): Promise<FollowSetResult> {
  const asked = await askManaged(c, meant, set, null)
  if (!asked.ok) return { how: 'lost', failure: asked.error }
  return followSet(c, meant, set, {
    timeout,
    lacks: (o) => lacksBack(o, meant.kinds.set.version, isRunning),
    failure: () => undefined,
    missed: 'is not handed back',
    advice: 'It goes on by itself once the controllers of Lockstep and Cluster API run.',
  })
}

/** Whoever may not read its Lease waits for its answer. */
async function isUpstreamRunning(c: CommandContext, { hub }: SelectedSets): Promise<boolean> {
  const key = { namespace: CAPI_NAMESPACE, name: CAPI_LEASE }
  const lease = await hub.client.get(leaseKind, key, { purpose: 'user', signal: c.signal })
  return lease.ok ? isHeld(lease.value, c.env.clock.now()) : lease.error.kind !== 'NotFound'
}

const refusals = ({ kinds }: SelectedSets, todo: readonly HandbackTask[]): CliFailure[] =>
  todo.flatMap(({ given: { state, message, name } }) => {
    if (state !== 'Refused') return []
    const suggestion = 'Nothing of it was changed.'
    return [failed('E_REFUSED', { ref: nameOf(kinds.set, name), problem: message, suggestion }).error]
  })

function show(c: CommandContext, { kinds, hub }: SelectedSets, todo: readonly HandbackTask[]): void {
  const sets = todo.map((t) => t.given)
  const names = sets.map((s) => nameOf(kinds.set, s.name))
  if (printData(c, handBackReport.fill({ sets }), names)) return
  if (sets.length === 0) {
    const where = c.globals.allNamespaces ? '' : ` in namespace ${hub.namespace}`
    c.terminal.talk(`No clusterresourcesets found${where}`)
  }
  for (const set of sets) for (const line of drawHandback(c.terminal, set)) c.terminal.print(line)
}
