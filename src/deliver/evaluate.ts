/** Where each node of the order stands: pure, from what is observed. */
import type { InventoryObject } from '../api/kinds/inventory.ts'
import type { Ask, OrderEdge } from '../core/order/graph.ts'
import { identityOf } from '../object/object.ts'
import { holds, isComplete } from './asked.ts'
import type { DesiredObject } from './desired.ts'
import { formerRuns, hookStage } from './hooks/stage.ts'
import { objectState } from './objectstate.ts'
import type { Evaluation, HookStage, NodeState, UnitInput } from './state.ts'
import { waitState } from './waits.ts'

export function evaluate(input: UnitInput): Evaluation {
  const { graph, objects } = input.desired
  const entries = entriesOf(input)
  const states = graph.nodes.map((node, n): NodeState => {
    const d = objects[n]
    if (d) return objectState(d, entries.get(d.id), input)
    if (node.type === 'wait') return waitState(node, n, input)
    const hook = input.desired.hooks[n]
    return hook ? { type: 'hook', stage: hookStage(hook, input) } : { type: 'barrier' }
  })
  const passed = new Map<number, boolean>()
  const unmet = new Map<number, OrderEdge>()
  const holding = new Set<number>()
  for (const n of graph.sequence) {
    const open = graph.needs[n]!.filter((e) => !reached(e, states, passed, input))
    if (open.length > 0) unmet.set(n, open[0]!)
    passed.set(n, open.length === 0)
    if (open.every((e) => states[e.from]!.type === 'wait')) for (const { from } of open) holding.add(from)
  }
  const former = formerRuns(input)
  const mayStart = (n: number): boolean => isStartable(states[n]!) && !unmet.has(n)
  const ready = former.length > 0 ? [] : graph.sequence.filter(mayStart)
  const unsure = states.some((s) => 'blocker' in s && s.blocker.reason === 'WatchStale')
  const drifts = states.flatMap((s) => ('drift' in s && s.drift ? [s.drift] : []))
  const isLast = (n: number): boolean => input.desired.hooks[n]?.node.phase === 'PostSync'
  const synced = former.length === 0 && states.every((s, n) => isLast(n) || isDone(s))
  return {
    states,
    ready,
    unmet,
    holding,
    synced,
    complete: synced && states.every(isDone),
    former,
    unsure,
    drifts,
  }
}

const isStartable = (s: NodeState): boolean =>
  s.type === 'todo' || s.type === 'replace' || (s.type === 'hook' && s.stage.is === 'Due')

const isDone = (s: NodeState): boolean =>
  s.type === 'barrier' ||
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
  for (const id of input.memory.gone) if (!announced.has(id)) found.delete(id)
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
  if (state.type === 'hook')
    return isOver(state.stage) || (e.ask === 'Applied' && state.stage.is === 'Running' && state.stage.isThere)
  if (state.type !== 'applied') return false
  const from = objects[e.from]!
  return e.ask === 'Expr' ? holds(e, live(from)) : asked(e.ask, state, from, objects[e.to] ?? hooks[e.to])
}

function asked(
  ask: Exclude<Ask, 'Expr'>,
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
