/** Which objects a Kustomization has applied, as its status lists them, and their order (`internal/inventory`, pkg/ssa). */
import { at, isArray, type KubeObject, parseApiVersion } from '@lockstep/kube/object'

export interface InventoryId {
  readonly namespace: string
  readonly name: string
  readonly group: string
  readonly kind: string
  readonly version: string
}

/** `<namespace>_<name>_<group>_<kind>`; colons of names of roles are doubled underscores. */
export const idText = (o: InventoryId): string =>
  [o.namespace, o.name.replaceAll(':', '__'), o.group, o.kind].join('_')

/** `<kind>/<namespace>/<name>`, as messages name objects. */
export const idShown = ({ kind, namespace, name }: InventoryId): string =>
  [kind, ...(namespace === '' ? [] : [namespace]), name].join('/')

export const idOf = (o: KubeObject): InventoryId => ({
  namespace: o.metadata.namespace ?? '',
  name: o.metadata.name ?? '',
  kind: o.kind,
  ...parseApiVersion(o.apiVersion),
})

export const apiVersionOfId = ({ group, version }: InventoryId): string =>
  group === '' ? version : `${group}/${version}`

/** What `status.inventory` of an object lists. */
export function inventoryOf(status: unknown): readonly InventoryId[] {
  const entries = at(status, 'inventory', 'entries')
  return (isArray(entries) ? entries : []).map((e) => {
    const [namespace = '', ...rest] = String(at(e, 'id')).split('_')
    const [kind = '', group = ''] = [rest.pop(), rest.pop()]
    return { namespace, name: rest.join('_').replaceAll('__', ':'), group, kind, version: String(at(e, 'v')) }
  })
}

export const entriesOf = (ids: readonly InventoryId[]) => ({
  entries: ids.map((o) => ({ id: idText(o), v: o.version })),
})

/** Those of `a` that `b` has not. */
export function missingFrom(a: readonly InventoryId[], b: readonly InventoryId[]): readonly InventoryId[] {
  const known = new Set(b.map(idText))
  return a.filter((o) => !known.has(idText(o)))
}

const FIRST = [
  'CustomResourceDefinition',
  'Namespace',
  'ClusterRole',
  'ClusterClass',
  'RuntimeClass',
  'PriorityClass',
  'StorageClass',
  'VolumeSnapshotClass',
  'IngressClass',
  'GatewayClass',
  'ClusterRoleBinding',
  'ResourceQuota',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Secret',
  'Service',
  'LimitRange',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
]
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']

const rank = (kind: string): number =>
  FIRST.includes(kind) ? FIRST.indexOf(kind) - FIRST.length : LAST.indexOf(kind) + 1

const ordered = (o: InventoryId) => [o.group, o.kind, o.namespace, o.name]

/** Negative if `a` is applied before `b`; deletion is the other way round. */
export function inApplyOrder(a: InventoryId, b: InventoryId): number {
  const byKind = rank(a.kind) - rank(b.kind)
  if (byKind !== 0) return byKind
  const [x, y] = [ordered(a), ordered(b)]
  const i = x.findIndex((part, j) => part !== y[j])
  return i < 0 ? 0 : x[i]! < y[i]! ? -1 : 1
}

/** What is applied and ready before anything else: 0; classes next; the rest last. */
export function stageOf({ kind, group }: InventoryId): 0 | 1 | 2 {
  if (kind === 'CustomResourceDefinition' || (kind === 'Namespace' && group === '')) return 0
  if (kind === 'ClusterRole') return 0
  return kind.endsWith('Class') ? 1 : 2
}
