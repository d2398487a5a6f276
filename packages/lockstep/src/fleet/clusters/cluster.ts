/** Who the clusters are: one view for every inventory that knows them. */
import { type JsonValue, jsonEqual } from '@lockstep/kube/object'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { DirectSource } from '../credentials/credentialsource.ts'

/** What knows clusters, in the order in which one is believed where several know the same cluster. */
export const INVENTORY_KINDS = ['ClusterAPI', 'ClusterProfile', 'ArgoCD', 'Secret', 'Hub'] as const
export type InventoryKind = (typeof INVENTORY_KINDS)[number]

export interface ClusterView {
  readonly kind: InventoryKind
  readonly namespace: string
  /** Under which its units know it: that of its object, unless another cluster has it (`clusternames.ts`). */
  readonly name: string
  /** The name was that of another object for the same cluster, which is gone. */
  readonly standsIn: boolean
  /** Name of its object in the inventory. */
  readonly objectName: string
  /** Of that object. */
  readonly uid: string
  /** Absent: there is no object. */
  readonly resourceVersion?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** `status.properties` of a ClusterProfile. */
  readonly properties: Readonly<Record<string, string>>
  /** What on its object says that nothing is written there, for people: `spec.paused`. */
  readonly paused: string | undefined
  readonly deleting: boolean
  /** False: its control plane was never up. Asked for only before the first connection. */
  readonly initialized: boolean
  /** The only namespaces in which something may be delivered; absent: all, and what has none. */
  readonly namespaces?: readonly string[]
  /** With `namespaces`: also what has no namespace. */
  readonly clusterResources?: boolean
  readonly access: ClusterAccess
}

export type ClusterAccess =
  | {
      readonly type: 'Source'
      readonly source: DirectSource
      /** Changes when the object of the credential does. */
      readonly version: string
    }
  | { readonly type: 'Hub' }
  | { readonly type: 'Missing'; readonly message: string }
  /** There is one, which commands do not know: where it is. */
  | { readonly type: 'Unread'; readonly message: string }
  | { readonly type: 'Refused'; readonly message: string }

/**
 * The object is of another version, and says nothing else of its cluster. Names are as units know them, which its object does
 * not know.
 */
export const isSameView = (a: ClusterView, b: ClusterView): boolean => jsonEqual(saidBy(a), saidBy(b))

const saidBy = ({
  name: _name,
  standsIn: _standsIn,
  resourceVersion: _version,
  access,
  ...said
}: ClusterView) =>
  ({
    ...said,
    paused: said.paused ?? null,
    access: [access.type, 'version' in access ? access.version : 'message' in access ? access.message : ''],
  }) as unknown as JsonValue

/** `namespace/name`; the hub is a cluster of every namespace. */
export const clusterKey = (c: { namespace: string; name: string }): string => `${c.namespace}/${c.name}`

/** A cluster, as facts refer to it. */
export const clusterRef = ({
  name,
  namespace,
}: Pick<ClusterView, 'name' | 'namespace'>): WaitRefOf<'Cluster'> => ({ kind: 'Cluster', name, namespace })

export const HUB_CLUSTER = 'hub'

/** The hub, as a cluster of a namespace. */
export function hubView(namespace: string): ClusterView {
  return {
    kind: 'Hub',
    namespace,
    name: HUB_CLUSTER,
    standsIn: false,
    objectName: HUB_CLUSTER,
    uid: 'hub',
    labels: {},
    annotations: {},
    properties: {},
    paused: undefined,
    deleting: false,
    initialized: true,
    access: { type: 'Hub' },
  }
}

/** Kinds of the objects that inventories are made of. */
const OBJECT_KIND: Readonly<Record<InventoryKind, string>> = {
  ClusterAPI: 'Cluster',
  ClusterProfile: 'ClusterProfile',
  ArgoCD: 'Secret',
  Secret: 'Secret',
  Hub: 'Hub',
}

/** `Cluster prod/eu-1`, for people. */
export const clusterText = (c: Pick<ClusterView, 'kind' | 'namespace' | 'objectName'>): string =>
  `${OBJECT_KIND[c.kind]} ${c.namespace}/${c.objectName}`
