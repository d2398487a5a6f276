/** Keys of requests. Only this file joins a key into a text, or splits one. */
import type { Priority, QueueRequest } from '@lockstep/kube/workqueue'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'

/** One module, or one ClusterResourceSet, on one cluster. */
export interface UnitKey {
  readonly type: 'Unit'
  readonly ref: ModuleRef
  /** Its name in the namespace of the module. */
  readonly cluster: string
}

export interface ModuleKey {
  readonly type: 'Module'
  readonly ref: ModuleRef
}

/** One cluster of one namespace. */
export interface ClusterKey {
  readonly type: 'Cluster'
  readonly namespace: string
  readonly name: string
}

/** One object of the hub; its kind is that of the controller. */
export interface ObjectKey {
  readonly type: 'Object'
  readonly namespace: string
  readonly name: string
}

export type RequestKey = UnitKey | ModuleKey | ClusterKey | ObjectKey

/** An entry of the queue: a key for one controller. */
export interface Request extends QueueRequest {
  readonly key: RequestKey
}

/** Takes requests. */
export interface RequestQueue {
  add(request: Request, priority?: Priority): void
}

/** Tells keys of one type from the others. */
export interface KeyType<Key extends RequestKey> {
  is(key: RequestKey): key is Key
}

export interface ObjectName {
  readonly namespace?: string | undefined
  readonly name: string
}

export const unitKey = {
  of: (ref: ModuleRef, cluster: string): UnitKey => ({ type: 'Unit', ref, cluster }),
  is: (key: RequestKey): key is UnitKey => key.type === 'Unit',
}

export const moduleKey = {
  of: (ref: ModuleRef): ModuleKey => ({ type: 'Module', ref }),
  is: (key: RequestKey): key is ModuleKey => key.type === 'Module',
}

export const clusterKey = {
  of: (namespace: string, name: string): ClusterKey => ({ type: 'Cluster', namespace, name }),
  is: (key: RequestKey): key is ClusterKey => key.type === 'Cluster',
}

export const objectKey = {
  of: ({ namespace = '', name }: ObjectName): ObjectKey => ({ type: 'Object', namespace, name }),
  is: (key: RequestKey): key is ObjectKey => key.type === 'Object',
}

/** One text for one key: for maps, indexes and logs. */
export function keyId(key: RequestKey): string {
  switch (key.type) {
    case 'Unit': {
      const { kind, namespace, name, owner } = key.ref
      const id = `${kind}/${namespace}/${name}/${key.cluster}`
      return owner === undefined ? id : `${id}/${owner}`
    }
    case 'Module':
      return moduleId(key.ref)
    case 'Cluster':
    case 'Object':
      return `${key.namespace}/${key.name}`
  }
}

/** Units share the queue by their cluster; all else belongs to the hub. */
const turnOf = (key: RequestKey): string =>
  key.type === 'Unit' ? `${key.ref.namespace}/${key.cluster}` : 'hub'

export const requestOf = (controller: string, key: RequestKey): Request => ({
  controller,
  cluster: turnOf(key),
  id: keyId(key),
  key,
})

/** `Module/app`, as ledgers and blockers name an object of their own namespace. */
export function kindAndName(text: string): { readonly kind: string; readonly name: string } {
  const [kind = '', name = ''] = text.split('/')
  return { kind, name }
}
