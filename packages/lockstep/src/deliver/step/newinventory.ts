import { API_VERSION } from '../../api/apiversion.ts'
import { type Inventory, type InventorySpec, inventoryKind } from '../../api/kinds/index.ts'
import { BUCKET_LABEL, INVENTORY_FINALIZER } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { bucketOf, inventoryName } from '../plan/index.ts'

/** A unit before anything of it exists. */
export interface NewUnit {
  readonly ref: ModuleRef
  /** UID of its Module, or of the owner of its assignment. */
  readonly uid: string
  /** The cluster under the name by which units know it. */
  readonly cluster: { readonly kind: string; readonly name: string }
  readonly labels?: Readonly<Record<string, string>>
  readonly spec?: Partial<InventorySpec>
}

/** The Inventory of a unit that nothing was delivered of. Pure. */
export const newInventory = ({ ref, uid, cluster, labels, spec }: NewUnit): Inventory => ({
  apiVersion: API_VERSION,
  kind: inventoryKind.kind,
  metadata: {
    name: inventoryName(ref, cluster.name),
    namespace: ref.namespace,
    labels: { [BUCKET_LABEL]: bucketOf(ref.namespace, cluster.name), ...labels },
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
    clusterUid: '',
    ...spec,
  },
})

/** An Inventory without an assignment by which nothing was ever delivered. Pure. */
export const isUnusedInventory = ({
  spec: { assigned, admitted, released, set, objects = [], intents = [], hooks = [], causes = [] },
}: Pick<Inventory, 'spec'>): boolean =>
  [assigned, admitted, released, set].every((x) => x === undefined) &&
  objects.length + intents.length + hooks.length + causes.length === 0
