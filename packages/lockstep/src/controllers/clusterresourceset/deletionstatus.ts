/** What is said of a ClusterResourceSet while its Module goes: with the set, or because it is not Continuous, or not ours, any more. */
import { type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { type ClusterResourceSet, type Module, resourceSetKinds } from '../../api/kinds/index.ts'
import {
  type AddonsVersion,
  deletionConditions,
  MANAGED,
  replaceConditions,
  type SetDeletionCause,
  setMessage,
} from '../../decisions/resourceset/index.ts'
import { requeueAfter } from '../runtime/index.ts'
import { setWordsOf } from '../unit/index.ts'
import { companionModuleOf } from './companionmodule.ts'
import type { SetDeps } from './setdeps.ts'

/** Says why its Module is still there. `policy`: of its objects. Undefined: nothing new. */
export async function updateDeletionStatus(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  policy: 'Orphan' | 'Delete',
): Promise<ReconcileResult | undefined> {
  const kind = c.hub.sets.kind ?? resourceSetKinds[0]!
  const version = kind.version as AddonsVersion
  const module = companionModuleOf(c.hub, set)
  const causes = deletionCauses(c, set)
  // Objects that stay need a moment only, and nothing is deleted.
  if (!set.status || (policy === 'Orphan' && causes.length === 0)) return undefined
  const conditions = deletionConditions(causes, isStuck(module), set.metadata.generation ?? 0)
  const status = replaceConditions(version, set.status, conditions, timestamp(c.env.clock.now()))
  if (status === set.status) return undefined
  const written = await c.status.update('sets', set, status)
  return written.error ? written : requeueAfter(1)
}

/** Only failed removals are left. */
const isStuck = (module: Stored<Module> | undefined): boolean =>
  module?.status?.conditions?.some((x) => x.type === 'Stalled' && x.status === 'True') === true

/** Nothing is done about it by us, nor by Cluster API, until somebody does something. */
export async function reportUnmanaged(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  reason: string,
  message: string,
): Promise<ReconcileResult> {
  const kind = c.hub.sets.kind ?? resourceSetKinds[0]!
  const { generation: observedGeneration = 0 } = set.metadata
  const said = { status: 'False', reason, message, observedGeneration } as const
  const conditions = [MANAGED, 'Ready'].map((type) => ({ type, ...said }))
  const now = timestamp(c.env.clock.now())
  const status = replaceConditions(kind.version as AddonsVersion, set.status ?? {}, conditions, now)
  if (status === set.status) return { ok: true }
  return c.status.update('sets', set, status)
}

/** Blockers of its Module that is being deleted, in the words of the set; those before the deletion say nothing of it. */
export function deletionCauses(c: Pick<SetDeps, 'hub'>, set: Stored<ClusterResourceSet>): SetDeletionCause[] {
  const module = companionModuleOf(c.hub, set)
  if (module?.metadata.deletionTimestamp === undefined || module.status?.rollout?.phase !== 'Removing')
    return []
  const words = setWordsOf(c, set)
  return (module.status.blockers ?? []).map((b) => ({ reason: b.reason, message: setMessage(b, words) }))
}
