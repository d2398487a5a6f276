import { keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { type Inventory, inventoryKind } from '../../api/kinds/index.ts'
import { INVENTORY_FINALIZER, MANAGER } from '../../api/labels.ts'
import type { ControllerContext } from '../cache/index.ts'
import { failedWrite } from '../runtime/index.ts'

/** Nothing is done any more by this Inventory: it lets go of its finalizer and goes, each on the version that was read. */
export async function dropInventory(
  c: ControllerContext,
  inventory: Stored<Inventory>,
): Promise<ReconcileResult> {
  const finalizers = inventory.metadata.finalizers?.filter((f) => f !== INVENTORY_FINALIZER) ?? []
  const free = { ...inventory, metadata: { ...inventory.metadata, finalizers } }
  const freed = await c.hub.client.update(inventoryKind, free, { purpose: 'inventory', manager: MANAGER })
  if (!freed.ok) return failedWrite(c, freed.error)
  const { uid, resourceVersion } = freed.value.metadata
  const gone = await c.hub.client.delete(inventoryKind, keyOf(inventory), {
    purpose: 'inventory',
    manager: MANAGER,
    precondition: { uid, resourceVersion },
  })
  return gone.ok || gone.error.kind === 'NotFound' ? { ok: true } : failedWrite(c, gone.error)
}
