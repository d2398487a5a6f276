import { type JsonObject, jsonEqual } from './json.ts'

/** Any Kubernetes object. Values are shared and frozen: never changed in place. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [member: string]: unknown
}

export interface ObjectMeta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: JsonObject
  readonly subresource?: string
}

/** An object as a server gave it: these are there. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly creationTimestamp: string
}

/** Whether what it holds is kept out of sight. Of any group: operators have Secrets of their own. */
export const isSecret = (o: { readonly kind: string }): boolean => o.kind === 'Secret'

/** Without `managedFields`, which are most of an object and which few read. */
export function withoutManagers<T extends KubeObject>(o: T): T {
  const { managedFields: _, ...metadata } = o.metadata
  return { ...o, metadata }
}

/**
 * The same, with the very data of `before` where it is equal: what was made of that is known of this one, too, when only
 * what is written beside it has changed.
 */
export function withKnownData<T extends KubeObject>(o: T, before?: T): T {
  const bare = withoutManagers(o)
  const isSame =
    before?.data !== undefined &&
    before.metadata.uid === o.metadata.uid &&
    before.type === o.type &&
    jsonEqual(before.data, o.data)
  return isSame ? { ...bare, data: before.data } : bare
}
