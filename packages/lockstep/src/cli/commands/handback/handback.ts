import { ok } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet } from '../../../api/kinds/index.ts'
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
  drawHandback,
  type FollowSet,
  type FollowSetResult,
  followResult,
  type GivenSet,
  handBackReport,
  handBackSet,
  handbackStateOf,
  inNamespace,
  isUpstreamRunning,
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
  summary: 'Hand ClusterResourceSets back to Cluster API',
  arguments: '<kind> [names...]',
  completes: ['setKind', 'set'],
  selects: ['allNamespaces'],
  detail:
    'KIND is crs. Lists labels, annotations and settings of Lockstep that stay. With --yes, removes lockstep.dev/managed; Lockstep finishes its writes, updates bindings with the applied content, and ends its pause. The command waits until Cluster API reports this. No object is deleted or applied. With --strip, then removes the label and annotations of Lockstep from objects on all clusters, with one request an object. Exit 1 if Cluster API cannot continue: spec.strategy is Continuous, or Cluster API is missing; or if a cluster could not be stripped.',
  options: [
    allOption,
    { flags: '--yes', text: 'hand back; without it, nothing is changed' },
    { flags: '--strip', text: 'then remove labels and annotations of Lockstep from objects' },
    { flags: '--timeout <duration>', text: 'time to wait', default: '60s' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['List the labels and settings that stay', 'handback crs shop -n sets'],
    ['Hand back a set', 'handback crs shop --yes -n sets'],
    ['Hand back a set and remove all labels of Lockstep', 'handback crs shop --strip --yes -n sets'],
    ['Hand back all sets of the hub before an uninstall', 'handback crs --all -A --yes'],
  ],
  async run(c, args, flags) {
    const given = textFlag(flags, 'timeout')!
    const timeout = durationFlag('timeout', given)
    if (!timeout.ok) return timeout
    const meant = await selectSets(c, args, flags, { mayBeUnserved: true })
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
        `Nothing was changed. To hand back: lockstep handback ${how}${isStripped ? ' --strip' : ''} --yes`,
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
  const isRunning = todo.length > 0 && (await isUpstreamRunning(c, meant))
  const done = await Promise.all(
    todo.map(async (t): Promise<HandbackFollow> => {
      const followed =
        t.given.state === 'Planned' ? await handBackSet(c, meant, t.set, { timeout, isRunning }) : undefined
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
            problem: `labels of Lockstep stay on ${cluster}: ${problem}`,
            suggestion: `fix the problem, then run: ${again}`,
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
      return { state: 'Asked', message: 'interrupted; the request stays and will be processed' }
    default:
      return {}
  }
}

const refusals = ({ kinds }: SelectedSets, todo: readonly HandbackTask[]): CliFailure[] =>
  todo.flatMap(({ given: { state, message, name } }) => {
    if (state !== 'Refused') return []
    const suggestion = 'the set was not changed'
    return [failed('E_REFUSED', { ref: nameOf(kinds.set, name), problem: message, suggestion }).error]
  })

function show(
  c: CommandContext,
  { kinds, hub, isServed }: SelectedSets,
  todo: readonly HandbackTask[],
): void {
  const sets = todo.map((t) => t.given)
  const names = sets.map((s) => nameOf(kinds.set, s.name))
  if (printData(c, handBackReport.fill({ sets }), names)) return
  if (sets.length === 0) {
    const where = c.globals.allNamespaces ? '' : ` in namespace ${hub.namespace}`
    c.terminal.talk(
      isServed
        ? `No clusterresourcesets found${where}`
        : 'no ClusterResourceSets: the hub does not serve the kind',
    )
  }
  for (const set of sets) for (const line of drawHandback(c.terminal, set)) c.terminal.print(line)
}
