import type { KubeResult } from '@lockstep/kube/client'
import type { Stored } from '@lockstep/kube/object'
import { type Inventory, inventoryKind, type WriteIntent } from '../../../api/kinds/index.ts'
import { MANAGER } from '../../../api/labels.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { newInventory } from '../../../deliver/step/index.ts'
import { externalOwnerLabel } from '../externalowner.ts'
import type { UnitDeps, UnitScope } from '../unitscope.ts'

/**
 * Creates the Inventory of a unit of an external controller, or of one that receives objects, before its first object. Modules
 * create it with the assignment. `uid`: of the Module.
 */
export async function createInventory(
  c: UnitDeps,
  ref: ModuleRef,
  uid: string,
  { cluster, session }: Pick<UnitScope, 'cluster' | 'session'>,
  intents: readonly WriteIntent[] = [],
): Promise<KubeResult<Stored<Inventory>>> {
  const spec = { clusterUid: session.uid ?? '', ...(intents.length === 0 ? {} : { intents: [...intents] }) }
  const body = newInventory({ ref, uid, cluster, labels: externalOwnerLabel(c, ref), spec })
  const made = await c.hub.own.create(inventoryKind, body, { purpose: 'inventory', manager: MANAGER })
  if (made.ok) c.hub.inventories.observeWrite(made.value)
  return made
}
