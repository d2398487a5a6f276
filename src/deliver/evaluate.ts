/** Where each node of the order stands: pure, from what is observed. */
import type { InventoryObject } from '../api/kinds/inventory.ts'
import { SUCCEEDED } from '../core/health/health.ts'
import type { Ask, OrderEdge } from '../core/order/graph.ts'
import { identityOf } from '../object/object.ts'
import { holds } from './asked.ts'
import type { DesiredObject } from './desired.ts'
import { objectState } from './objectstate.ts'
import type { Evaluation, NodeState, UnitInput } from './state.ts'

export function evaluate(input: UnitInput): Evaluation {
  const { graph, objects } = input.desired
  const entries = entriesOf(input)
  const states = objects.map(
    (d): NodeState => (d ? objectState(d, entries.get(d.id), input) : { type: 'barrier' }),
  )
  const passed = new Map<number, boolean>()
  const unmet = new Map<number, OrderEdge>()
  for (const n of graph.sequence) {
    const open = graph.needs[n]!.find((e) => !reached(e, states, passed, input))
    if (open) unmet.set(n, open)
    passed.set(n, open === undefined)
  }
  const ready = graph.sequence.filter((n) => isStartable(states[n]!) && !unmet.has(n))
  const unsure = states.some((s) => s.type === 'waiting' && s.blocker.reason === 'WatchStale')
  const drifts = states.flatMap((s) => ('drift' in s && s.drift ? [s.drift] : []))
  return { states, ready, unmet, complete: states.every(isDone), unsure, drifts }
}

const isStartable = (s: NodeState): boolean => s.type === 'todo' || s.type === 'replace'

const isDone = (s: NodeState): boolean =>
  s.type === 'barrier' || (s.type === 'applied' && isWell(s) && s.held === undefined)

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
  { desired: { objects }, live }: UnitInput,
): boolean {
  // Also what is unchanged waits for what comes before it: else a change would jump over it.
  if (passed.get(e.from) !== true) return false
  const state = states[e.from]!
  if (state.type === 'barrier') return true
  if (state.type !== 'applied') return false
  const from = objects[e.from]!
  return e.ask === 'Expr' ? holds(e, live(from)) : asked(e.ask, state, from, objects[e.to])
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
      return (
        isHealthy &&
        state.health.unfinished === undefined &&
        (from.ref.kind !== 'Pod' || state.health.message === SUCCEEDED)
      )
    case 'Served':
      return isHealthy && to?.resource !== undefined
    case 'Gone':
      return false
  }
}
