/** Objects at the hub that open stages. */

import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Module } from '../../api/kinds/index.ts'
import type { RefsOf } from '../../api/reasons/index.ts'
import { evaluateObjectEdge, type Observation } from '../../decisions/gate/index.ts'
import { moduleRefOf } from '../../deliver/plan/index.ts'
import { HUB_CLUSTER } from '../../fleet/clusters/index.ts'
import { gateEdgeOf } from './gateedge.ts'

/** What keeps the gates of each stage closed. */
export function stageGates(module: Stored<Module>, seen: Observation): Map<string, NewBlocker[]> {
  const out = new Map<string, NewBlocker[]>()
  const by = moduleRefOf(module)
  for (const { name, gates } of module.spec.rollout.stages ?? []) {
    const closed = (gates ?? []).flatMap((g): NewBlocker[] => {
      const found = evaluateObjectEdge(gateEdgeOf(g, by.namespace), by, HUB_CLUSTER, seen)
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
