/** Whether anybody waits for what is still to be done on a cluster, by what is written down at the hub. Pure. */
import type { Stored } from '@lockstep/kube/object'
import type { Assignment, ExternalAssignment, Inventory } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import { externalRef } from './externalassignments.ts'
import type { HubCaches } from './hubcaches.ts'

/** All that is assigned to the cluster was delivered there, and nothing is on its way there or from there. */
export function hasReachedQuiescence(
  { assemblages, foreign, inventories }: Pick<HubCaches, 'assemblages' | 'foreign' | 'inventories'>,
  cluster: { readonly namespace: string; readonly name: string },
): boolean {
  const { namespace, name } = cluster
  const isDone = (ref: ModuleRef, record: Assignment | ExternalAssignment): boolean =>
    isAdmitted(record, inventories.store.get({ namespace, name: inventoryName(ref, name) }))
  for (const record of assemblages.store.get(cluster)?.spec.syncs ?? [])
    if (!isDone({ kind: record.kind, namespace, name: record.name }, record)) return false
  for (const theirs of foreign?.store.by('cluster', `${namespace}/${name}`) ?? [])
    for (const record of theirs.spec.syncs ?? [])
      if (!isDone(externalRef(theirs, record), record)) return false
  for (const inventory of inventories.store.by('cluster', `${namespace}/${name}`))
    if (!isDelivered(inventory)) return false
  return true
}

function isAdmitted(
  record: Assignment | ExternalAssignment,
  inventory: Stored<Inventory> | undefined,
): boolean {
  const admitted = inventory?.spec.admitted
  const isLeaving = 'removal' in record && record.removal !== undefined
  return !isLeaving && admitted?.revision === record.revision && admitted.values === record.values
}

/** It is known to be as it was admitted. */
function isDelivered({ metadata, spec, status }: Stored<Inventory>): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  if (spec.released) return true
  // Of a set in ApplyOnce or Reconcile, or beside the one of its Module.
  if (spec.set) return status?.state !== 'Failed'
  const { admitted, intents = [], hooks = [] } = spec
  return (
    admitted !== undefined &&
    status?.state === 'Ready' &&
    status.admittedSerial === admitted.serial &&
    intents.length === 0 &&
    hooks.every((h) => h.state !== 'Running')
  )
}
