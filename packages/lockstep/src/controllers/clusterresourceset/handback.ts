/**
 * A ClusterResourceSet that is no longer asked to be ours goes back to Cluster API: its bindings say exactly what was applied
 * last, then nothing of us is left on it, and last the pause goes by which Cluster API was held off.
 */

import { ok } from '@lockstep/kube/env'
import { keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import {
  CAPI_PAUSED,
  type ClusterResourceSet,
  PAUSED_BY_US,
  type ResourceSetStatus,
  resourceSetKinds,
} from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import {
  type AddonsVersion,
  conditionIn,
  handBackPatch,
  MANAGED,
  withoutOurs,
} from '../../decisions/resourceset/index.ts'
import { isOwnDefinition, setInventories } from '../cache/index.ts'
import { dropInventory } from '../gc/index.ts'
import { failed, requeueAfter } from '../runtime/index.ts'
import { desiredBinding } from './bindingcontroller.ts'
import { companionModuleOf } from './companionmodule.ts'
import { reportUnmanaged, updateDeletionStatus } from './deletionstatus.ts'
import { finishDelivery } from './deliveredsources.ts'
import { bindingName, type SetDeps } from './setdeps.ts'

/** A binding is written by its own controller: looked at again after so long. */
const BINDING_MS = 100

/** Something of us is left on it, or of it with us. */
export const isLeftWithUs = (c: SetDeps, set: Stored<ClusterResourceSet>): boolean =>
  set.metadata.annotations?.[CAPI_PAUSED] === PAUSED_BY_US ||
  setInventories(c.hub, set).length > 0 ||
  companionModuleOf(c.hub, set) !== undefined ||
  (isOwnDefinition(c.hub) &&
    (set.metadata.deletionTimestamp !== undefined || statusLeft(c, set) !== set.status))

/** What is said of it once it is not ours any more: what Cluster API says, if that is there. */
const statusLeft = (c: SetDeps, { status }: Stored<ClusterResourceSet>): ResourceSetStatus | undefined =>
  status && withoutOurs(kindOn(c).version as AddonsVersion, status, isOwnDefinition(c.hub))

const kindOn = (c: SetDeps) => c.hub.sets.kind ?? resourceSetKinds[0]!

export async function handBack(c: SetDeps, set: Stored<ClusterResourceSet>): Promise<ReconcileResult> {
  // Where there is no Cluster API it is nobody's, whatever its strategy is, and stays so: what its user has written stays.
  const isAlone = isOwnDefinition(c.hub)
  const patch = isAlone ? ok({}) : handBackPatch(set)
  if (!patch.ok) {
    return reportUnmanaged(c, set, 'HandBackRefused', patch.error)
  }
  const inventories = setInventories(c.hub, set)
  const left = await finishDelivery(c, set)
  if (left) return (await updateDeletionStatus(c, set, 'Orphan')) ?? left
  const { namespace = '' } = set.metadata
  const isWritten = inventories.every(({ spec: { clusterRef } }) => {
    const name = bindingName(c, namespace, clusterRef.name)
    const known = c.hub.setBindings.get({ namespace, name })
    return desiredBinding(c, namespace, name, known) === known
  })
  if (!isWritten) return requeueAfter(BINDING_MS)
  const cleared = await clearStatus(c, set)
  if (cleared) return cleared
  const dropped = await Promise.all(inventories.map((i) => dropInventory(c, i)))
  const failed = dropped.find((o) => !o.ok)
  if (failed) return failed
  return release(c, set, patch.value)
}

/** Undefined: nothing of ours is said any more. */
async function clearStatus(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
): Promise<ReconcileResult | undefined> {
  const kind = kindOn(c)
  const left = statusLeft(c, set)
  const isOurs = isOwnDefinition(c.hub) || conditionIn(kind.version as AddonsVersion, set.status, MANAGED)
  if (left === set.status || !isOurs) return undefined
  const written = await c.status.update('sets', set, left!)
  return written.error ? written : requeueAfter(1)
}

async function release(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  annotations: Readonly<Record<string, string | null>>,
): Promise<ReconcileResult> {
  const { uid, resourceVersion } = set.metadata
  if (Object.keys(annotations).length === 0) return { ok: true }
  const done = await c.hub.own.patch(kindOn(c), keyOf(set), { metadata: { annotations } } as never, {
    purpose: 'record',
    manager: MANAGER,
    precondition: { uid, resourceVersion },
  })
  if (!done.ok) return failed(done.error)
  c.hub.sets.observeWrite(done.value)
  const text = 'ClusterResourceSet is reconciled by Cluster API again'
  const of = done.value.metadata.resourceVersion
  c.events.record(done.value, [{ type: 'Normal', action: 'HandBack', reason: 'HandedBack', text, of }])
  return { ok: true }
}
