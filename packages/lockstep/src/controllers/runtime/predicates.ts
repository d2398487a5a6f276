/** Changes that a rule asks for. `before` is undefined after a create, `after` after a delete; a resync passes one object twice. */

import { jsonEqual, type Stored } from '@lockstep/kube/object'
import { type ClusterView, HUB_CLUSTER } from '../../fleet/clusters/index.ts'

export type Predicate<T> = (before: T | undefined, after: T | undefined) => boolean

/** Every change, and a resync. */
export const always = (): boolean => true

/** Every change, without resyncs. */
export const changed = (before: object | undefined, after: object | undefined): boolean => before !== after

/** Resyncs: after a start, and after a change of the definition of the kind. */
export const resynced = (before: object | undefined, after: object | undefined): boolean => before === after

export const created = (before: object | undefined, after: object | undefined): boolean =>
  before === undefined && after !== undefined

export const deleted = (before: object | undefined, after: object | undefined): boolean =>
  before !== undefined && after === undefined

/** At least one predicate is true. */
export const any =
  <T>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (before, after) =>
    predicates.some((is) => is(before, after))

export const all =
  <T>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (before, after) =>
    predicates.every((is) => is(before, after))

/** The object was created or deleted, or its spec changed; the status that a controller writes does not count. */
export function specChanged(before: Stored | undefined, after: Stored | undefined): boolean {
  const wishOf = (o: Stored | undefined): string => {
    const { uid, generation, deletionTimestamp } = o?.metadata ?? {}
    return [uid, generation, deletionTimestamp].join(' ')
  }
  return wishOf(before) !== wishOf(after)
}

/** Settings of a ClusterResourceSet are annotations, which no generation counts. */
export const annotationsChanged = (before: Stored | undefined, after: Stored | undefined): boolean =>
  !jsonEqual(before?.metadata.annotations ?? {}, after?.metadata.annotations ?? {})

export const anyCluster = (): boolean => true

/** The hub is one cluster of every namespace. */
export const hubCluster = ({ name }: ClusterView): boolean => name === HUB_CLUSTER

export const memberCluster = (view: ClusterView): boolean => !hubCluster(view)
