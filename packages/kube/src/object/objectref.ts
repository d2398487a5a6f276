import type { KubeObject } from './kubeobject.ts'

/** API group, version and kind; the core group is the empty string. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Name and, for namespaced kinds, namespace. */
export interface Key {
  readonly namespace?: string
  readonly name: string
}

/** What a message, a blocker or an error points at. */
export interface ObjectReference {
  readonly group: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/')
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

export const apiVersionOf = (g: { group: string; version: string }): string =>
  g.group === '' ? g.version : `${g.group}/${g.version}`

export const keyOf = (o: KubeObject): Key => ({
  namespace: o.metadata.namespace,
  name: o.metadata.name ?? '',
})

/** `namespace/name`, or `name`: the key of maps. */
export const keyText = (k: Key): string => (k.namespace ? `${k.namespace}/${k.name}` : k.name)

export const refOf = (o: KubeObject): ObjectReference => ({
  group: parseApiVersion(o.apiVersion).group,
  kind: o.kind,
  namespace: o.metadata.namespace,
  name: o.metadata.name ?? '',
})

/** `apps/Deployment app/api`, `ConfigMap app/settings`, `Namespace app`: one form in all messages. */
export const refText = (r: ObjectReference): string =>
  `${r.group ? `${r.group}/` : ''}${r.kind} ${keyText(r)}`

/** Identity without a version: two manifests of one object in two versions are the same object. */
export const identityOf = (r: ObjectReference): string =>
  `${r.group}/${r.kind}/${r.namespace ?? ''}/${r.name}`
