import type { ObjectEdge } from '../../decisions/graph/index.ts'
import type { StageGateRef } from '../../decisions/rollout/index.ts'

/** Gates as edges; each is made once, since its expression is compiled once. */
const edges = new WeakMap<StageGateRef, ObjectEdge>()

export function gateEdgeOf(gate: StageGateRef, namespace: string): ObjectEdge {
  const known = edges.get(gate)
  if (known) return known
  const { apiVersion, kind, name, readyExpr } = gate
  const made: ObjectEdge = {
    id: name,
    object: { apiVersion, kind, name, namespace },
    ...(readyExpr === undefined ? {} : { readyExpr }),
    optional: false,
  }
  edges.set(gate, made)
  return made
}
