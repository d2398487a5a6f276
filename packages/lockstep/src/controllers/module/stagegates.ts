/** Objects at the hub that open stages. */

import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Module } from '../../api/kinds/index.ts'
import type { RefsOf } from '../../api/reasons/index.ts'
import { evaluateObjectEdge, type Observation } from '../../decisions/gate/index.ts'
import type { ObjectEdge } from '../../decisions/graph/index.ts'
import type { StageGateRef } from '../../decisions/rollout/index.ts'
import { HUB_CLUSTER } from '../../fleet/clusters/index.ts'

/** What keeps the gates of each stage closed. */
export function stageGates(module: Stored<Module>, seen: Observation): Map<string, NewBlocker[]> {
  const out = new Map<string, NewBlocker[]>()
  for (const { name, gates } of module.spec.rollout.stages ?? []) {
    const closed = (gates ?? []).flatMap((g): NewBlocker[] => {
      const found = evaluateObjectEdge(edgeOf(g, module.metadata.namespace ?? ''), HUB_CLUSTER, seen)
      if (!found.blocker) return []
      const { reason, on, facts } = found.blocker
      const detail = typeof facts?.detail === 'string' ? facts.detail : undefined
      const state = reason === 'DependencyMissing' ? 'Missing' : 'NotReady'
      return [blocked('StageGate', on as RefsOf<'StageGate'>, { stage: name, state, detail })]
    })
    if (closed.length > 0) out.set(name, closed)
  }
  return out
}

/** As edges are looked at; made once, since each is compiled once. */
const edges = new WeakMap<StageGateRef, ObjectEdge>()

function edgeOf(gate: StageGateRef, namespace: string): ObjectEdge {
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

/** Every object that a stage of the module looks at, in its own namespace. */
export const gateEdges = (module: Stored<Module>): ObjectEdge[] =>
  (module.spec.rollout.stages ?? []).flatMap((s) =>
    (s.gates ?? []).map((g) => edgeOf(g, module.metadata.namespace ?? '')),
  )
