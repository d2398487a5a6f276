import { keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { type Inventory, inventoryKind } from '../../api/kinds/index.ts'
import { INVENTORY_FINALIZER, MANAGER } from '../../api/labels.ts'
import type { HubInformers } from '../cache/index.ts'
import { done, failed, removeFinalizer } from '../runtime/index.ts'

/** Nothing is done any more by this Inventory: it lets go of its finalizer and goes, each on the version that was read. */
export async function dropInventory(
  { hub }: { readonly hub: Pick<HubInformers, 'own'> },
  inventory: Stored<Inventory>,
): Promise<ReconcileResult> {
  const target = { own: hub.own, kind: inventoryKind, purpose: 'inventory' } as const
  const freed = await removeFinalizer(target, inventory, INVENTORY_FINALIZER)
  if (!freed.object) return freed
  const { uid, resourceVersion } = freed.object.metadata
  const gone = await hub.own.delete(inventoryKind, keyOf(inventory), {
    purpose: 'inventory',
    manager: MANAGER,
    precondition: { uid, resourceVersion },
  })
  return gone.ok || gone.error.kind === 'NotFound' ? done : failed(gone.error)
}
