import type { KubeObject, StoredMeta } from './kubeobject.ts'

/** What a client must know of a kind; `T` is the type of its objects. */
export interface Kind<T extends KubeObject = KubeObject> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  /** An update or patch drops `managedFields`: without them a write costs the server half as much. */
  readonly isUntracked?: boolean
  /** Never set: carries the type. */
  readonly of?: T
}

/** An object as a server gave it. */
export type Stored<T extends KubeObject = KubeObject> = T & { readonly metadata: StoredMeta }

export function defineKind<T extends KubeObject>(k: Omit<Kind, 'of'>): Kind<T> {
  return k
}
