import type { Stored } from '@lockstep/kube/object'
import { type ClusterResourceSet, SET } from '../../../api/kinds/index.ts'
import { type AddonsVersion, conditionIn, MANAGED, pausePatch } from '../../../decisions/resourceset/index.ts'
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
  drawTakeover,
  type FollowSet,
  type FollowSetResult,
  followResult,
  followSet,
  inNamespace,
  planTakeover,
  readTakeoverFacts,
  type SelectedSets,
  selectSets,
  type TakenSet,
  takeoverReport,
} from '../../kit/sets/index.ts'
import { fit, plural } from '../../kit/terminal/index.ts'

/** `lockstep takeover`. */
export const takeoverCommand: Command = {
  name: 'takeover',
  summary: 'Take ClusterResourceSets over from Cluster API',
  arguments: '<kind> [names...]',
  completes: ['setKind', 'set'],
  selects: ['allNamespaces'],
  detail:
    'KIND is crs. Lists the first action for each cluster and source. It is none if Cluster API applied the same content, otherwise an apply, or with Continuous an update of metadata. With --yes, sets lockstep.dev/managed. Lockstep then pauses Cluster API, and the command waits for its acknowledgment. No object is applied twice. Exit 1 if settings are invalid, or if Cluster API does not acknowledge the pause.',
  options: [
    allOption,
    { flags: '--yes', text: 'take over; without it, nothing is changed' },
    { flags: '--timeout <duration>', text: 'time to wait', default: '5m' },
  ],
  formats: ['table', 'wide', 'json', 'yaml', 'name'],
  examples: [
    ['Show the first action on each cluster', 'takeover crs shop -n sets'],
    ['Take over a set', 'takeover crs shop --yes -n sets'],
    ['Take over all sets of a namespace, from a script', 'takeover crs --all --yes -n sets -o json'],
  ],
  async run(c, args, flags) {
    const given = textFlag(flags, 'timeout')!
    const timeout = durationFlag('timeout', given)
    if (!timeout.ok) return timeout
    const meant = await selectSets(c, args, flags)
    if (!meant.ok) return meant
    const todo = await planned(c, meant.value)
    if (!todo.ok) return todo
    return isSet(flags, 'yes')
      ? take(c, meant.value, todo.value, { given, ms: timeout.value })
      : propose(c, meant.value, todo.value)
  },
}

interface TakeoverTask {
  readonly set: Stored<ClusterResourceSet>
  readonly taken: TakenSet
}

async function planned(c: CommandContext, meant: SelectedSets) {
  const looked = await readTakeoverFacts(c, {
    ...meant,
    sets: meant.sets.filter((s) => standing(meant, s) === undefined),
  })
  if (!looked.ok) return looked
  const todo = meant.sets.map((set): TakeoverTask => {
    const { name, namespace = '' } = set.metadata
    const head = { name, namespace, warnings: [], clusters: [] }
    const known = standing(meant, set)
    if (known) return { set, taken: { ...head, ...known } }
    const facts = looked.value.find((f) => f.set === set)!
    const { mode, refused, warnings, clusters } = planTakeover(facts)
    const state = refused === undefined ? ('Planned' as const) : ('Refused' as const)
    const taken = { ...head, state, message: refused ?? '', warnings, clusters }
    return { set, taken: mode === undefined ? taken : { ...taken, mode } }
  })
  return { ok: true as const, value: todo }
}

/** It is Lockstep's already, or asked for; undefined: it is not. */
function standing(
  { kinds, isOwnDefinition }: SelectedSets,
  set: Stored<ClusterResourceSet>,
): Pick<TakenSet, 'state' | 'message'> | undefined {
  const asked = set.metadata.annotations?.[SET.managed]
  if (isOwnDefinition && (asked === undefined || asked === 'true')) return { state: 'Managed', message: '' }
  if (asked !== 'true') return undefined
  const said = conditionIn(kinds.set.version as AddonsVersion, set.status, MANAGED)
  if (said?.status === 'True') return { state: 'Managed', message: '' }
  return { state: 'Asked', message: said?.message ?? lacksManaged(set) }
}

/** Where nobody has answered yet. */
const lacksManaged = (set: ClusterResourceSet): string =>
  pausePatch(set.metadata) === undefined
    ? 'Cluster API has not acknowledged the pause'
    : 'Lockstep has not paused Cluster API yet; check whether its controller runs'

function propose(c: CommandContext, meant: SelectedSets, todo: readonly TakeoverTask[]): CommandResult {
  show(c, meant, todo)
  const takable = todo.filter((t) => t.taken.state === 'Planned')
  if (takable.length > 0) {
    const [{ set }] = takable as [TakeoverTask]
    const which = takable.map((t) => t.set.metadata.name).join(' ')
    const how = c.globals.allNamespaces ? 'crs --all -A' : `crs ${which}${inNamespace(set)}`
    c.terminal.talk(fit(c.terminal.look, `Nothing was changed. To take over: lockstep takeover ${how} --yes`))
  }
  return followResult([], refusals(meant, todo))
}

/** What cannot be taken over is refused, and the rest is taken over all the same. */
async function take(
  c: CommandContext,
  meant: SelectedSets,
  todo: readonly TakeoverTask[],
  timeout: FollowSet['timeout'],
): Promise<CommandResult> {
  const isDue = ({ taken: { state } }: TakeoverTask): boolean => state === 'Planned' || state === 'Asked'
  const done = await Promise.all(
    todo.map(async (t) =>
      isDue(t) ? { todo: t, followed: await takeOne(c, meant, t, timeout) } : { todo: t },
    ),
  )
  const after = done.map(({ todo: t, followed }) => ({
    ...t,
    taken: { ...t.taken, ...afterwards(followed) },
  }))
  show(c, meant, after)
  return followResult(
    done.flatMap((d) => d.followed ?? []),
    refusals(
      meant,
      todo.filter((t) => t.taken.state === 'Refused'),
    ),
  )
}

function afterwards(followed: FollowSetResult | undefined): Partial<TakenSet> {
  switch (followed?.how) {
    case 'met':
      return { state: 'TakenOver', message: '', clusters: [] }
    case 'lost':
      return { state: 'Asked', message: followed.failure.message }
    case 'interrupted':
      return { state: 'Asked', message: 'interrupted; the request stays and will be processed' }
    default:
      return {}
  }
}

async function takeOne(
  c: CommandContext,
  meant: SelectedSets,
  { set, taken }: TakeoverTask,
  timeout: FollowSet['timeout'],
): Promise<FollowSetResult> {
  if (taken.state === 'Planned') {
    const asked = await askManaged(c, meant, set, 'true')
    if (!asked.ok) return { how: 'lost', failure: asked.error }
  }
  const version = meant.kinds.set.version as AddonsVersion
  const said = (o: ClusterResourceSet) => conditionIn(version, o.status, MANAGED)
  return followSet(c, meant, set, {
    timeout,
    // On a hub without Cluster API nobody has to let go.
    lacks: (o) => (meant.isOwnDefinition || said(o)?.status === 'True' ? undefined : lacksManaged(o)),
    failure: (o) => {
      const condition = said(o)
      return condition?.status === 'False' ? condition.message : undefined
    },
    missed: 'is not taken over',
    advice: `it is taken over when that changes; to cancel: lockstep handback crs ${taken.name}${inNamespace(set)} --yes`,
  })
}

const refusals = ({ kinds }: SelectedSets, todo: readonly TakeoverTask[]): CliFailure[] =>
  todo.flatMap(({ set, taken: { state, message, name } }) => {
    if (state !== 'Refused' && state !== 'Asked') return []
    const suggestion =
      state === 'Refused'
        ? 'correct the settings; until then Cluster API continues to manage the set'
        : `it continues when that changes; to cancel: lockstep handback crs ${name}${inNamespace(set)} --yes`
    return [failed('E_REFUSED', { ref: nameOf(kinds.set, name), problem: message, suggestion }).error]
  })

/** What is refused is said as an error. */
function show(c: CommandContext, { kinds, hub }: SelectedSets, todo: readonly TakeoverTask[]): void {
  const sets = todo.map((t) => t.taken)
  const names = sets.map((s) => nameOf(kinds.set, s.name))
  if (printData(c, takeoverReport.fill({ sets }), names)) return
  if (sets.length === 0) {
    const where = c.globals.allNamespaces ? '' : ` in namespace ${hub.namespace}`
    c.terminal.talk(`No clusterresourcesets found${where}`)
  }
  const isWide = c.globals.output === 'wide'
  for (const set of sets)
    if (set.state !== 'Refused' && set.state !== 'Asked')
      for (const line of drawTakeover(c.terminal, set, isWide)) c.terminal.print(line)
  if (sets.length > 1) c.terminal.print(summaryOf(sets))
}

const summaryOf = (sets: readonly TakenSet[]): string => {
  const states = ['TakenOver', 'Managed', 'Planned', 'Asked', 'Refused'] as const
  const counts = states.flatMap((state) => {
    const n = sets.filter((s) => s.state === state).length
    return n === 0 ? [] : [`${state} ${n}`]
  })
  return `${plural(sets.length, 'ClusterResourceSet')}: ${counts.join(', ')}`
}
