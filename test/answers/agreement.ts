/** I36: `why`, `status`, `wait`, `get`, conditions and Events agree about state and root cause. Pure. */
import { actorOf } from '../../packages/lockstep/src/api/reasons/index.ts'
import type { ModuleShown, ObjectShown, UnitShown, WhyShown } from './shown.ts'

/** Nothing but a change of a spec, or of a cluster's labels, ends these. */
const ENDLESS: ReadonlySet<string | undefined> = new Set(['SelectsNothing', 'CycleDetected', 'Deadlock'])

export interface ShownWhen {
  /** No controller has anything to write. */
  readonly isAtRest: boolean
  /** No controller died, and no request was lost: each Event exists. */
  readonly hasEvents: boolean
}

/** Each disagreement as a line. */
export const disagreements = (shown: readonly ModuleShown[], { isAtRest, hasEvents }: ShownWhen): string[] =>
  shown.flatMap((m) => [
    ...conditionFaults(m).map((f) => `${m.name}: ${f}`),
    ...statusFaults(m).map((f) => `${m.name}: ${f}`),
    ...whyFaults(m.why).map((f) => `why ${m.name}: ${f}`),
    ...m.units.flatMap((u) => unitFaults(u).map((f) => `${m.name}@${u.cluster}: ${f}`)),
    ...(isAtRest ? restFaults(m).map((f) => `${m.name} at rest: ${f}`) : []),
    ...(isAtRest && hasEvents ? eventFaults(m).map((f) => `Events of ${m.name}: ${f}`) : []),
  ])

/** Ready, of its last change. */
export const isReady = (o: ObjectShown): boolean => o.conditions[0] === 'T' && o.isCurrent && !o.isDeleting

/** Ready, Reconciling, Stalled, kstatus and `wait` are five readings of one state. */
function conditionFaults(m: ModuleShown): string[] {
  const found: string[] = []
  const { conditions, reasons, kstatus } = m
  const said = `${conditions} ${reasons.Ready}, kstatus ${kstatus}, wait ${m.wait}`
  // Before its first status.
  if (conditions === '???') return m.wait === 4 ? [] : [`without a status: ${said}`]
  const first = m.blockers[0]?.reason
  const isEmpty = first === 'SelectsNothing' && !m.isDeleting
  const isEndless = ENDLESS.has(reasons.Ready) && conditions[0] === 'F' && conditions[1] === 'F'
  // A removal ends the wait of a deleted Module, except one in a ring.
  const isLasting = !m.isDeleting || reasons.Ready === 'Deadlock'
  const expected = isReady(m) ? 0 : isEndless && m.isCurrent && isLasting ? 1 : 4
  if (m.wait !== expected) found.push(`wait exits ${m.wait}, not ${expected}: ${said}`)
  if (!['TFF', 'FTF', 'FFT', ...(isEmpty ? ['FFF'] : [])].includes(conditions))
    found.push(`conditions contradict each other: ${said}`)
  const observed = m.isCurrent ? { T: 'Current', F: 'InProgress' }[conditions[0]!] : 'InProgress'
  const isFailed = m.isCurrent && conditions[2] === 'T'
  const wanted = m.isDeleting ? 'Terminating' : isFailed ? 'Failed' : isEmpty ? 'InProgress' : observed
  if (kstatus !== wanted) found.push(`kstatus is not ${wanted}: ${said}`)
  if (conditions[0] === 'F' && !m.isDeleting && first !== undefined && reasons.Ready !== first)
    found.push(`Ready names ${reasons.Ready}, the first blocker is ${first}`)
  if (conditions[1] === 'T' && reasons.Reconciling !== reasons.Ready)
    found.push(`Reconciling names ${reasons.Reconciling}, Ready ${reasons.Ready}`)
  const isFailing = m.isDeleting && reasons.Ready !== 'Deadlock'
  if (conditions[2] === 'T' && reasons.Stalled !== (isFailing ? 'RemovalFailed' : reasons.Ready))
    found.push(`Stalled names ${reasons.Stalled}, Ready ${reasons.Ready}`)
  return found
}

function statusFaults(m: ModuleShown): string[] {
  const { status } = m
  const found: string[] = []
  if (status.ready !== isReady(m))
    found.push(`status says ready: ${status.ready}; conditions ${m.conditions}`)
  if (isReady(m) && status.exit !== 0) found.push(`status exits ${status.exit} for a ready Module`)
  if (status.reason !== undefined && status.reason !== m.reasons.Ready)
    found.push(`status names ${status.reason}, Ready ${m.reasons.Ready}`)
  return found
}

function whyFaults({ exit, state, roots, unadvised }: WhyShown): string[] {
  const found: string[] = []
  if (exit !== (state === 'ready' ? 0 : 1)) found.push(`exits ${exit} for ${state}`)
  if (state === 'ready' && roots.length > 0) found.push(`is ready and has roots ${roots}`)
  if (state !== 'ready' && roots.length === 0) found.push('names no root cause')
  if (unadvised.length > 0) found.push(`gives no advice about ${unadvised}`)
  return found
}

const CELLS: Readonly<Record<string, readonly string[]>> = {
  ready: ['ready'],
  failed: ['failed'],
  waits: ['waiting', 'moving', 'leaving', 'unreachable', 'none'],
}

/** `why` and the cell of `status` read the same stored state; so do `get` and `wait` of an Inventory. */
function unitFaults(u: UnitShown): string[] {
  const found = whyFaults(u.why)
  if (!CELLS[u.why.state]?.includes(u.cell)) found.push(`why: ${u.why.state}, cell: ${u.cell}`)
  const { inventory } = u
  if (!inventory || inventory.conditions === '???') return found
  if (inventory.wait === 0 && inventory.conditions[0] !== 'T') found.push('wait ends, and Ready is not True')
  if (inventory.conditions[0] === 'T' && inventory.state !== 'Ready')
    found.push(`the Inventory has Ready=True and state ${inventory.state}`)
  return found
}

/** A summary is written a moment after its units. */
function restFaults(m: ModuleShown): string[] {
  const found: string[] = []
  const targeted = m.units.filter((u) => u.cell !== 'none')
  const isCounted = m.why.state === 'ready' || !m.why.roots.every(isUncounted)
  if (isReady(m) !== (m.why.state === 'ready') && isCounted)
    found.push(`conditions ${m.conditions} ${m.reasons.Ready}, why: ${m.why.state} ${m.why.roots}`)
  const unready = targeted.filter((u) => u.why.state !== 'ready' && !u.why.roots.every(isUncounted))
  if (isReady(m) && unready.length > 0)
    found.push(
      `Ready, and why says of ${unready.map((u) => u.cluster)}: ${unready.flatMap((u) => u.why.roots)}`,
    )
  const named = [...m.why.reasons, ...targeted.flatMap((u) => u.why.reasons)]
  // The status names a limit, or a rollout before; why continues to the cause.
  if (!isReady(m) && m.blockers.length > 0 && !m.blockers.some((b) => named.includes(b.reason)))
    found.push(`status names ${m.blockers.map((b) => b.reason)}, why ${m.why.reasons}`)
  for (const { cluster, inventory, why } of targeted) {
    if (!inventory || inventory.conditions === '???') continue
    const blocker = inventory.blockers[0]?.reason
    if (why.state === 'ready' && blocker !== undefined && inventory.conditions[0] === 'F')
      found.push(`${cluster}: why: ready, its Inventory: ${blocker}`)
  }
  return found
}

/** Units that no Module counts, or that it counts as they were when their cluster answered last. */
const isUncounted = (reason: string): boolean => reason === 'ClusterGone' || reason === 'ClusterConnecting'

/** Each blocker that a person must end has an Event, and the last Event of a ready Module is not an old warning. */
function eventFaults(m: ModuleShown): string[] {
  const told = m.blockers.filter(({ reason }) => TOLD.has(actorOf(reason)))
  const found = told
    .filter(({ reason }) => !m.events.some((e) => e.reason === reason))
    .map(({ reason }) => `no Event says ${reason}`)
  const last = m.events.findLast((e) => e.type === 'Warning' || e.reason === 'Complete')
  if (isReady(m) && (m.total ?? 0) > 0 && m.events.length > 0 && last?.reason !== 'Complete')
    found.push(`Ready, and the last Event says ${last?.reason}`)
  return found
}

const TOLD: ReadonlySet<string | undefined> = new Set(['approver', 'author', 'owner', 'platform'])
