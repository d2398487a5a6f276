import type { KubeResult } from '@lockstep/kube/client'
import type { Stored } from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Inventory, inventoryKind } from '../../../api/kinds/index.ts'
import { BUCKET_LABEL, INVENTORY_FINALIZER, MANAGER } from '../../../api/labels.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { bucketOf, inventoryName } from '../../../deliver/plan/index.ts'
import { externalOwnerLabel } from '../externalowner.ts'
import type { UnitDeps, UnitScope } from '../unitscope.ts'

/** Before the first object: what a unit owns is always written down somewhere. `uid`: of the Module. */
export async function createInventory(
  c: UnitDeps,
  ref: ModuleRef,
  uid: string,
  { cluster, session }: Pick<UnitScope, 'cluster' | 'session'>,
): Promise<KubeResult<Stored<Inventory>>> {
  const body: Inventory = {
    apiVersion: API_VERSION,
    kind: inventoryKind.kind,
    metadata: {
      name: inventoryName(ref, cluster.name),
      namespace: ref.namespace,
      labels: { [BUCKET_LABEL]: bucketOf(ref.namespace, cluster.name), ...externalOwnerLabel(c, ref) },
      finalizers: [INVENTORY_FINALIZER],
    },
    spec: {
      moduleRef: {
        kind: ref.kind,
        name: ref.name,
        uid,
        ...(ref.owner === undefined ? {} : { owner: ref.owner }),
      },
      clusterRef: { kind: cluster.kind, name: cluster.name },
      clusterUid: session.uid ?? '',
    },
  }
  const made = await c.hub.own.create(inventoryKind, body, { purpose: 'inventory', manager: MANAGER })
  if (made.ok) c.hub.inventories.observeWrite(made.value)
  return made
}
