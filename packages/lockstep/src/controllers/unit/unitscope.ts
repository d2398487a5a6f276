/** What one look at a unit starts from, and the writes of its Inventory that several steps share. */

import type { RequestError } from '@lockstep/kube/client'
import type { Stored } from '@lockstep/kube/object'
import { type Assignment, type Inventory, type InventorySpec, inventoryKind } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { UnitMemory } from '../../deliver/state/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'
import { type ControllerContext, type RevisionRecord, revisionIn, revisionName } from '../cache/index.ts'
import { type Request, requestOf, unitKey } from '../runtime/index.ts'

export const UNIT_CONTROLLER = 'unit'

/** `cluster` is the cluster's name in the module's namespace. */
export const unitRequest = (ref: ModuleRef, cluster: string): Request =>
  requestOf(UNIT_CONTROLLER, unitKey.of(ref, cluster))

/** Everything that one look at a unit starts from. */
export interface UnitScope {
  readonly ref: ModuleRef
  readonly cluster: ClusterView
  readonly session: ClusterSession
  readonly record: Assignment | undefined
  readonly inventory: Stored<Inventory>
  readonly memory: UnitMemory
  readonly label: string
}

/** The apply settings, health settings and namespace that a revision was published with. */
export function revisionOfUnit(
  c: ControllerContext,
  ref: ModuleRef,
  revision: string,
): RevisionRecord | undefined {
  const { namespace } = ref
  if (ref.owner !== undefined) return revisionIn(c.hub, namespace, revision)
  return c.hub.revisions.store.get({ namespace, name: revisionName(ref, revision) })
}

/** Writes the Inventory's spec on the version that was read. */
export async function writeInventory(
  c: ControllerContext,
  inventory: Stored<Inventory>,
  spec: InventorySpec,
): Promise<{ ok: true; value: Stored<Inventory> } | { ok: false; error: RequestError }> {
  const done = await c.hub.client.update(
    inventoryKind,
    { ...inventory, spec },
    { purpose: 'inventory', manager: MANAGER },
  )
  if (done.ok) c.hub.inventories.observeWrite(done.value)
  return done
}
