/** Upstream's kinds as far as its controllers read and write them, and where they are served. */
import type { JsonValue, KubeObject, LabelSelector } from '@lockstep/kube/object'
import type { UpstreamBehavior } from './clusterapioptions.ts'

export const ADDONS = 'addons.cluster.x-k8s.io'
/** On each set; it is named after the group. */
export const FINALIZER = 'addons.cluster.x-k8s.io'
export const PAUSED = 'cluster.x-k8s.io/paused'
export const WATCH_FILTER = 'cluster.x-k8s.io/watch-filter'

export interface UpstreamSourceRef {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly name: string
}

export interface SetSpec {
  readonly clusterSelector?: LabelSelector
  readonly resources?: readonly UpstreamSourceRef[]
  readonly strategy?: string
}

export const setSpec = (o: KubeObject): SetSpec => (o.spec ?? {}) as SetSpec

export interface AppliedResource extends UpstreamSourceRef {
  readonly hash?: string
  readonly lastAppliedTime?: string
  readonly applied: boolean
}

export interface BindingClusterEntry {
  readonly clusterResourceSetName: string
  readonly resources?: readonly AppliedResource[]
}

export interface BindingSpec {
  readonly bindings?: readonly BindingClusterEntry[]
  readonly clusterName?: string
}

export const bindingSpec = (o: KubeObject): BindingSpec => (o.spec ?? {}) as BindingSpec

/** Paths of collections; `''`: of all namespaces. */
export const pathOf = (w: UpstreamBehavior, plural: string, namespace: string): string =>
  `/apis/${ADDONS}/${w.apiVersion}${within(namespace)}/${plural}`
export const clustersPath = (w: UpstreamBehavior, namespace: string): string =>
  `/apis/cluster.x-k8s.io/${w.apiVersion}${within(namespace)}/clusters`
export const corePath = (plural: string, namespace: string): string => `/api/v1${within(namespace)}/${plural}`
const within = (namespace: string): string => (namespace === '' ? '' : `/namespaces/${namespace}`)

export const sourcePath = ({ kind, name }: UpstreamSourceRef, namespace: string): string =>
  `${corePath(kind === 'Secret' ? 'secrets' : 'configmaps', namespace)}/${name}`

export const keyOf = (o: KubeObject): string => `${o.metadata.namespace ?? ''}/${o.metadata.name ?? ''}`
export const isDeleting = (o: KubeObject): boolean => o.metadata.deletionTimestamp !== undefined
/** Its presence counts, its value does not. */
export const isPaused = (o: KubeObject): boolean => o.metadata.annotations?.[PAUSED] !== undefined

export type OwnerRef = { readonly [name: string]: JsonValue | undefined }

/** Of a set, as it is put on bindings and sources. */
export const ownerOf = (w: UpstreamBehavior, set: KubeObject): OwnerRef => ({
  apiVersion: `${ADDONS}/${w.apiVersion}`,
  kind: 'ClusterResourceSet',
  name: set.metadata.name ?? '',
  uid: set.metadata.uid ?? '',
})

/** `util.EnsureOwnerRef`: one of equal group, kind and name is replaced, whatever its version and uid. */
export function withOwner(list: readonly OwnerRef[], owner: OwnerRef): readonly OwnerRef[] {
  const i = list.findIndex((o) => isSame(o, owner))
  return i < 0 ? [...list, owner] : list.map((o, n) => (n === i ? owner : o))
}

export const withoutOwner = (list: readonly OwnerRef[], owner: OwnerRef): readonly OwnerRef[] =>
  list.filter((o) => !isSame(o, owner))

const isSame = (a: OwnerRef, b: OwnerRef): boolean =>
  groupOf(a) === groupOf(b) && a.kind === b.kind && a.name === b.name
const groupOf = (o: OwnerRef): string => String(o.apiVersion).split('/')[0] ?? ''

export const ownersOf = (o: KubeObject): readonly OwnerRef[] =>
  (o.metadata.ownerReferences ?? []) as unknown as readonly OwnerRef[]
