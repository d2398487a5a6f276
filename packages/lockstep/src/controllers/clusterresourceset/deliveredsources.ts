/** What the Module of a set has delivered to a cluster is written into the record of the set, from which its binding is made. */
import { type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { ClusterResourceSet, Inventory, ResourceSetSourceRef, SetRecord } from '../../api/kinds/index.ts'
import {
  distinctRefs,
  isAllApplied,
  newlyApplied,
  nextDeliveredRecord,
} from '../../decisions/resourceset/index.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import { resourceHash } from '../../sources/configmap/index.ts'
import { companionRef, isOtherCluster, revisionName, setInventories } from '../cache/index.ts'
import { failed, requeueAfter } from '../runtime/index.ts'
import { writeInventory } from '../unit/index.ts'
import { companionModuleOf, removeCompanion } from './companionmodule.ts'
import type { SetDeps } from './setdeps.ts'
import { setUnitNotes } from './unitnotes.ts'

/** The Inventory of the Module of a set on a cluster. */
export const companionInventoryOn = (
  { hub }: Pick<SetDeps, 'hub'>,
  set: Pick<Stored<ClusterResourceSet>, 'metadata'>,
  cluster: string,
): Stored<Inventory> | undefined => {
  const ref = companionRef(set)
  return hub.inventories.store.get({ namespace: ref.namespace, name: inventoryName(ref, cluster) })
}

/** The record as it should be; the very same where it says so already, or where nothing is known. */
function followedRecord(
  c: Pick<SetDeps, 'hub' | 'env'>,
  set: Stored<ClusterResourceSet>,
  record: Stored<Inventory>,
): SetRecord | undefined {
  const delivered = companionInventoryOn(c, set, record.spec.clusterRef.name)
  // What was delivered to another cluster of that name is not there.
  const isOther = delivered && isOtherCluster(delivered, record.spec.clusterUid)
  const { spec, status } = isOther ? {} : (delivered ?? {})
  const before = record.spec.set
  const ref = companionRef(set)
  const revision =
    spec?.admitted &&
    c.hub.revisions.store.get({
      namespace: ref.namespace,
      name: revisionName(ref, spec.admitted.revision),
    })
  if (!revision) return before
  const asked: readonly ResourceSetSourceRef[] = distinctRefs(set.spec.resources)
  const sources = asked.flatMap((source) => {
    const hash = resourceHash(revision.inputs, source)
    return hash === undefined ? [] : [{ ...source, hash }]
  })
  const isApplied = isAllApplied(status ?? {}, spec!.admitted!.contentSerial)
  return nextDeliveredRecord(before, { sources, isApplied }, asked, timestamp(c.env.clock.now()))
}

/** Undefined: it is written down already. */
export async function recordDeliveredSources(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  record: Stored<Inventory>,
): Promise<ReconcileResult | undefined> {
  const before = record.spec.set
  const next = followedRecord(c, set, record)
  if (next === before || next === undefined) return undefined
  const done = await writeInventory(c, record, { ...record.spec, set: next })
  const cluster = record.spec.clusterRef.name
  const at = timestamp(c.env.clock.now())
  const applied = newlyApplied(before, next)
  if (done.ok) c.events.record(set, setUnitNotes({ cluster, before: undefined, failures: [], applied, at }))
  return done.ok ? requeueAfter(1) : failed(done.error)
}

/**
 * What the Module has delivered is written down for the last time, then the Module goes and leaves it. Undefined: it is gone.
 * Without `requeueAfterMs` its own event brings us back.
 */
export async function finishDelivery(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
): Promise<ReconcileResult | undefined> {
  const module = companionModuleOf(c.hub, set)
  if (!module) return undefined
  if (module.metadata.deletionTimestamp === undefined) {
    const followed = await Promise.all(
      setInventories(c.hub, set).map((i) => recordDeliveredSources(c, set, i)),
    )
    const written = followed.find((o) => o !== undefined)
    if (written) return written
  }
  return removeCompanion(c, set, 'Orphan')
}
