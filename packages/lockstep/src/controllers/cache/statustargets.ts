import { resourceSetKinds } from '../../api/kinds/index.ts'
import type { StatusTargets } from '../runtime/index.ts'
import { CACHED_KINDS, type HubInformers } from './hubcaches.ts'

/** Where each status of the hub is written, and which cache takes the answer. */
export const statusTargets = (
  hub: HubInformers,
  weavePipelines: StatusTargets['weavePipelines'],
): StatusTargets => ({
  modules: { kind: CACHED_KINDS.modules.kind, observeWrite: (o) => hub.modules.observeWrite(o) },
  bootstrapModules: {
    kind: CACHED_KINDS.bootstrapModules.kind,
    observeWrite: (o) => hub.bootstrapModules.observeWrite(o),
  },
  assemblages: { kind: CACHED_KINDS.assemblages.kind, observeWrite: (o) => hub.assemblages.observeWrite(o) },
  foreign: { kind: CACHED_KINDS.foreign.kind, observeWrite: (o) => hub.foreign.observeWrite(o) },
  inventories: { kind: CACHED_KINDS.inventories.kind, observeWrite: (o) => hub.inventories.observeWrite(o) },
  holds: { kind: CACHED_KINDS.holds.kind, observeWrite: (o) => hub.holds.observeWrite(o) },
  approvals: { kind: CACHED_KINDS.approvals.kind, observeWrite: (o) => hub.approvals.observeWrite(o) },
  disruptionBudgets: {
    kind: CACHED_KINDS.disruptionBudgets.kind,
    observeWrite: (o) => hub.disruptionBudgets.observeWrite(o),
  },
  pipelines: { kind: CACHED_KINDS.pipelines.kind, observeWrite: (o) => hub.pipelines.observeWrite(o) },
  promotions: { kind: CACHED_KINDS.promotions.kind, observeWrite: (o) => hub.promotions.observeWrite(o) },
  sets: {
    // In the version that the hub serves, which may change.
    get kind() {
      return hub.sets.kind ?? resourceSetKinds[0]!
    },
    observeWrite: (o) => hub.sets.observeWrite(o),
  },
  weavePipelines,
})
