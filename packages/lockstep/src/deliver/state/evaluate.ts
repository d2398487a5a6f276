/** Where each node of the order stands: pure, from what is observed. */

import { identityOf } from '@lockstep/kube/object'
import { blocked } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import type { OrderEdge, RequiredState } from '../../decisions/order/index.ts'
import { formerRuns, hookStage } from '../hooks/hookstage.ts'
import type { DesiredObject, ObjectToDelete } from '../plan/desiredstate.ts'
import { waitState } from '../plan/waits.ts'
import { objectState } from './objectstate.ts'
import { objectWaitRef } from './objectwaitref.ts'
import { isComplete, satisfiesReadiness } from './readiness.ts'
import type { Evaluation, HookStage, NodeState, UnitInput } from './unitinput.ts'

export function evaluate(input: UnitInput): Evaluation {
  const { graph, objects } = input.desired
  const entries = entriesOf(input)
  const states = graph.nodes.map((node, n): NodeState => {
    const d = objects[n]
    if (d) return objectState(d, entries.get(d.id), input)
    if (node.type === 'wait') return waitState(node, n, input)
    if (node.type === 'delete') return deleteState(input.desired.deletions!.get(n)!, input)
    const hook = input.desired.hooks[n]
    return hook ? { type: 'hook', stage: hookStage(hook, input) } : { type: 'barrier' }
  })
  const passed = new Map<number, boolean>()
  const unmet = new Map<number, OrderEdge>()
  const holding = new Set<number>()
  const isType = (type: NodeState['type'], { from }: OrderEdge): boolean => states[from]!.type === type
  /** Nodes that wait for deletions and for nothing else. */
  const behind = new Map<number, readonly OrderEdge[]>()
  for (const n of graph.sequence) {
    const open = graph.needs[n]!.filter((e) => !reached(e, states, passed, input))
    if (open.length > 0) unmet.set(n, open[0]!)
    passed.set(n, open.length === 0)
    const others = input.desired.deletions ? open.filter((e) => !isType('delete', e)) : open
    if (others.every((e) => isType('wait', e))) for (const { from } of others) holding.add(from)
    if (others.length === 0 && open.length > 0) behind.set(n, open)
  }
  const former = formerRuns(input)
  const isFirst = (n: number): boolean => input.desired.hooks[n]?.node.phase === 'PreSync'
  // The same content admitted anew begins with its hooks, as the first time.
  const isBegun = states.every((s, n) => !isFirst(n) || isDone(s))
  const isRepair = (n: number): boolean => isBegun && isDelivered(input) && repairs(n, states, input)
  const mayStart = (n: number): boolean => isStartable(states[n]!) && (!unmet.has(n) || isRepair(n))
  const ready = former.length > 0 ? [] : graph.sequence.filter(mayStart)
  const unsure = states.some((s) => 'blocker' in s && s.blocker?.reason === 'WatchStale')
  const drifts = states.flatMap((s) => ('drift' in s && s.drift ? [s.drift] : []))
  const isLast = (n: number): boolean => input.desired.hooks[n]?.node.phase === 'PostSync'
  const synced = former.length === 0 && states.every((s, n) => isLast(n) || isDone(s))
  return {
    states,
    ready,
    unmet,
    holding,
    leaving: former.length > 0 ? [] : leavingNow(states, graph.sequence, behind, unmet),
    synced,
    complete: synced && states.every(isDone),
    former,
    unsure,
    drifts,
  }
}

/** All of this content was there and well once: who is unwell since then does not keep others from being put right. */
const isDelivered = ({ inventory: { status }, desired }: UnitInput): boolean =>
  status?.contentDigest !== undefined && status.contentDigest === desired.contentDigest

/** What others have done to it is put right; what it needs has only to be there. */
function repairs(n: number, states: readonly NodeState[], { desired: { graph } }: UnitInput): boolean {
  const s = states[n]!
  if (s.type !== 'todo' || s.drift === undefined) return false
  return graph.needs[n]!.every(({ from }) => {
    const { type } = states[from]!
    return type !== 'todo' && type !== 'failed' && type !== 'waiting' && type !== 'replace'
  })
}

const isStartable = (s: NodeState): boolean =>
  s.type === 'todo' || s.type === 'replace' || (s.type === 'hook' && s.stage.is === 'Due')

/** What leaves once nothing but its being there keeps something from starting, and what has to leave before that. */
function leavingNow(
  states: readonly NodeState[],
  sequence: readonly number[],
  behind: ReadonlyMap<number, readonly OrderEdge[]>,
  unmet: ReadonlyMap<number, OrderEdge>,
): InventoryObject[] {
  if (behind.size === 0) return []
  const wanted = new Set<number>()
  for (const n of [...sequence].reverse())
    if (isStartable(states[n]!) || wanted.has(n)) for (const { from } of behind.get(n) ?? []) wanted.add(from)
  return [...wanted].flatMap((n) => {
    const s = states[n]!
    return s.type === 'delete' && s.blocker === undefined && !unmet.has(n) ? [s.entry] : []
  })
}

/** What it asks for is known once its cache is complete. */
function deleteState({ entry, live }: ObjectToDelete, { inventory }: UnitInput): NodeState {
  if (live !== 'unknown') return { type: 'delete', entry }
  const on = objectWaitRef(entry, inventory.spec.clusterRef.name)
  return { type: 'delete', entry, blocker: blocked('WatchStale', [on], { state: 'KindUnread' }) }
}

/** Who waits for a deletion is not done; where nobody does, it is a matter of the end. */
const isDone = (s: NodeState): boolean =>
  s.type === 'barrier' ||
  s.type === 'delete' ||
  (s.type === 'wait' && s.met) ||
  (s.type === 'hook' && isOver(s.stage)) ||
  (s.type === 'applied' && isWell(s) && s.held === undefined)

const isOver = ({ is }: HookStage): boolean => is === 'Skipped' || is === 'Succeeded'

const isWell = (s: Extract<NodeState, { type: 'applied' }>): boolean =>
  s.health.state === 'Healthy' && s.settlesInMs === 0

/** What is applied: the Inventory, and what this process has applied since. */
export function entriesOf(
  input: Pick<UnitInput, 'inventory' | 'memory'> & { readonly announced?: readonly InventoryObject[] },
): Map<string, InventoryObject> {
  const found = new Map((input.inventory.spec.objects ?? []).map((o) => [identityOf(o), o]))
  for (const o of input.announced ?? []) found.set(identityOf(o), o)
  for (const [id, o] of input.memory.applied) found.set(id, o)
  const announced = new Set((input.announced ?? []).map(identityOf))
  // What is deleted by us, and there again, was made anew by a request that came late.
  for (const id of input.memory.gone.keys()) if (!announced.has(id)) found.delete(id)
  return found
}

function reached(
  e: OrderEdge,
  states: readonly NodeState[],
  passed: ReadonlyMap<number, boolean>,
  { desired: { objects, hooks }, live }: UnitInput,
): boolean {
  // Also what is unchanged waits for what comes before it: else a change would jump over it.
  if (passed.get(e.from) !== true) return false
  const state = states[e.from]!
  if (state.type === 'barrier') return true
  if (state.type === 'wait') return state.met
  if (state.type === 'delete') return false
  if (state.type === 'hook')
    return isOver(state.stage) || (e.ask === 'Applied' && state.stage.is === 'Running' && state.stage.isThere)
  if (state.type !== 'applied') return false
  const from = objects[e.from]!
  return e.ask === 'Expr'
    ? satisfiesReadiness(e, live(from))
    : asked(e.ask, state, from, objects[e.to] ?? hooks[e.to])
}

function asked(
  ask: Exclude<RequiredState, 'Expr'>,
  state: Extract<NodeState, { type: 'applied' }>,
  from: DesiredObject,
  to: DesiredObject | undefined,
): boolean {
  const isHealthy = isWell(state) || state.unblocks === true
  switch (ask) {
    case 'Applied':
    case 'Exists':
      return true
    case 'Healthy':
      return isHealthy
    case 'Complete':
      return isHealthy && isComplete(state.health, from.ref.kind)
    case 'Served':
      return isHealthy && to?.resource !== undefined
    case 'Gone':
      return false
  }
}
