/** Whether anybody waits for what is still to be done on a cluster, by what is written down at the hub. Pure. */
import type { Stored } from '@lockstep/kube/object'
import type { Inventory } from '../../api/kinds/index.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import { externalRef } from './externalassignments.ts'
import type { HubCaches } from './hubcaches.ts'

/** All that is assigned to the cluster was delivered there, and nothing is on its way there or from there. */
export function hasReachedQuiescence(
  { foreign, inventories }: Pick<HubCaches, 'foreign' | 'inventories'>,
  cluster: { readonly namespace: string; readonly name: string },
): boolean {
  const { namespace, name } = cluster
  for (const theirs of foreign?.store.by('cluster', `${namespace}/${name}`) ?? [])
    for (const record of theirs.spec.syncs ?? []) {
      const of = inventories.store.get({ namespace, name: inventoryName(externalRef(theirs, record), name) })
      if (of?.spec.admitted?.revision !== record.revision) return false
    }
  for (const inventory of inventories.store.by('cluster', `${namespace}/${name}`))
    if (!isDelivered(inventory)) return false
  return true
}

/** It is known to be as it was admitted, and nothing else is assigned. */
function isDelivered({ metadata, spec, status }: Stored<Inventory>): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  if (spec.released) return spec.assigned === undefined
  // Of a set in ApplyOnce or Reconcile, or beside the one of its Module.
  if (spec.set) return status?.state !== 'Failed'
  const { assigned, admitted, intents = [], hooks = [] } = spec
  const isAsAssigned =
    assigned === undefined ||
    (!assigned.removal && assigned.revision === admitted?.revision && assigned.values === admitted.values)
  return (
    admitted !== undefined &&
    isAsAssigned &&
    status?.state === 'Ready' &&
    status.admittedSerial === admitted.serial &&
    intents.length === 0 &&
    hooks.every((h) => h.state !== 'Running')
  )
}
