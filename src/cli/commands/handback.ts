import type { Stored } from '../../api/kind.ts'
import { leaseKind } from '../../api/kinds/foreign.ts'
import { CAPI_LEASE, CAPI_NAMESPACE, type ClusterResourceSet } from '../../api/kinds/resourceset.ts'
import { type Command, type Context, isSet, textFlag } from '../command.ts'
import { durationOf } from '../duration.ts'
import { type CliFailure, failed, type Outcome } from '../failure.ts'
import { nameOf } from '../kinds.ts'
import { printData } from '../output/objects.ts'
import { drawGiven } from '../sets/draw.ts'
import { askManaged, type Follow, type Followed, follow, outcomeOf } from '../sets/follow.ts'
import { isHeld, lacksBack, leftAfter, standingOf } from '../sets/handback.ts'
import { allOption, inNamespace, type Meant, setsMeant } from '../sets/meant.ts'
import { type GivenSet, handBackReport } from '../sets/report.ts'
import { fit } from '../terminal/wrap.ts'

/** `lockstep handback`. */
export const handback: Command = {
  name: 'handback',
  summary: 'Give ClusterResourceSets back to Cluster API',
  arguments: '<kind> [names...]',
  completes: ['setKind', 'set'],
  selects: ['allNamespaces'],
  detail:
    'KIND is crs. Shows what would stay of Lockstep. With --yes, lockstep.dev/managed is taken off; Lockstep finishes what it is writing, leaves bindings that say what was applied last, and lifts its pause, and the command waits until Cluster API says so. Nothing is deleted or applied. Exit 1 where Cluster API could not go on: spec.strategy is Continuous, or there is no Cluster API.',
  options: [
    allOption,
    { flags: '--yes', text: 'do it; without, nothing is changed' },
    { flags: '--timeout <duration>', text: 'how long it may take', default: '60s' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['What would stay of Lockstep?', 'handback crs shop -n sets'],
    ['Give it back', 'handback crs shop --yes -n sets'],
    ['All of the hub, before Lockstep goes', 'handback crs --all -A --yes'],
  ],
  async run(c, args, flags) {
    const given = textFlag(flags, 'timeout')!
    const timeout = durationOf('timeout', given)
    if (!timeout.ok) return timeout
    const meant = await setsMeant(c, args, flags)
    if (!meant.ok) return meant
    const todo = meant.value.sets.map((set) => plannedFor(meant.value, set))
    return isSet(flags, 'yes')
      ? giveBack(c, meant.value, todo, { given, ms: timeout.value })
      : propose(c, meant.value, todo)
  },
}

interface Todo {
  readonly set: Stored<ClusterResourceSet>
  readonly given: GivenSet
}

function plannedFor({ kinds, isOwnDefinition }: Meant, set: Stored<ClusterResourceSet>): Todo {
  const { name, namespace = '' } = set.metadata
  const standing = standingOf(set, kinds.set.version, isOwnDefinition)
  const head = { name, namespace }
  return standing.state === 'Ours'
    ? { set, given: { ...head, state: 'Planned', message: '', left: leftAfter(set) } }
    : { set, given: { ...head, ...standing, left: [] } }
}

function propose(c: Context, meant: Meant, todo: readonly Todo[]): Outcome {
  show(c, meant, todo)
  const due = todo.filter((t) => t.given.state === 'Planned')
  if (due.length > 0) {
    const [{ set }] = due as [Todo]
    const which = due.map((t) => t.set.metadata.name).join(' ')
    const how = c.globals.allNamespaces ? 'crs --all -A' : `crs ${which}${inNamespace(set)}`
    c.terminal.talk(fit(c.terminal.look, `Nothing was changed. To give back: lockstep handback ${how} --yes`))
  }
  return outcomeOf([], refusals(meant, todo))
}

/** What cannot be given back is refused, and the rest is given back all the same. */
async function giveBack(
  c: Context,
  meant: Meant,
  todo: readonly Todo[],
  timeout: Follow['timeout'],
): Promise<Outcome> {
  const isRunning = await isUpstreamRunning(c, meant)
  const done = await Promise.all(
    todo.map(async (t) =>
      t.given.state === 'Planned'
        ? { todo: t, followed: await giveOne(c, meant, t, { timeout, isRunning }) }
        : { todo: t },
    ),
  )
  show(
    c,
    meant,
    done.map(({ todo: t, followed }) => ({ ...t, given: { ...t.given, ...afterwards(followed) } })),
  )
  return outcomeOf(
    done.flatMap((d) => d.followed ?? []),
    refusals(meant, todo),
  )
}

function afterwards(followed: Followed | undefined): Partial<GivenSet> {
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
  c: Context,
  meant: Meant,
  { set }: Todo,
  { timeout, isRunning }: { readonly timeout: Follow['timeout']; readonly isRunning: boolean },
): Promise<Followed> {
  const asked = await askManaged(c, meant, set, null)
  if (!asked.ok) return { how: 'lost', failure: asked.error }
  return follow(c, meant, set, {
    timeout,
    lacks: (o) => lacksBack(o, meant.kinds.set.version, isRunning),
    failure: () => undefined,
    missed: 'is not handed back',
    advice: 'It goes on by itself once the controllers of Lockstep and Cluster API run.',
  })
}

/** Whoever may not read its Lease waits for its answer. */
async function isUpstreamRunning(c: Context, { hub }: Meant): Promise<boolean> {
  const key = { namespace: CAPI_NAMESPACE, name: CAPI_LEASE }
  const lease = await hub.client.get(leaseKind, key, { why: 'user', signal: c.signal })
  return lease.ok ? isHeld(lease.value, c.env.clock.now()) : lease.error.kind !== 'NotFound'
}

const refusals = ({ kinds }: Meant, todo: readonly Todo[]): CliFailure[] =>
  todo.flatMap(({ given: { state, message, name } }) => {
    if (state !== 'Refused') return []
    const suggestion = 'Nothing of it was changed.'
    return [failed('E_REFUSED', { ref: nameOf(kinds.set, name), problem: message, suggestion }).error]
  })

function show(c: Context, { kinds, hub }: Meant, todo: readonly Todo[]): void {
  const sets = todo.map((t) => t.given)
  const names = sets.map((s) => nameOf(kinds.set, s.name))
  if (printData(c, handBackReport.fill({ sets }), names)) return
  if (sets.length === 0) {
    const where = c.globals.allNamespaces ? '' : ` in namespace ${hub.namespace}`
    c.terminal.talk(`No clusterresourcesets found${where}`)
  }
  for (const set of sets) for (const line of drawGiven(c.terminal, set)) c.terminal.print(line)
}
