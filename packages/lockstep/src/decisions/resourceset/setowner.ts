/** Owner references to a ClusterResourceSet: on its sources, so that `clusterctl move` takes them along, and on bindings. */

import { type ObjectMeta, type OwnerReference, parseApiVersion } from '@lockstep/kube/object'
import { ADDONS_GROUP, SET } from '../../api/kinds/index.ts'

const KIND = 'ClusterResourceSet'

/** A set as others refer to it. */
export interface SetOwner {
  /** Of the version that is stored. */
  readonly apiVersion: string
  readonly name: string
  readonly uid: string
}

type OwnerReferences = readonly OwnerReference[] | undefined

/** As Cluster API compares them: in whatever version, and of whatever uid. */
const refersTo = (o: OwnerReference, name: string): boolean =>
  o.kind === KIND && o.name === name && parseApiVersion(o.apiVersion).group === ADDONS_GROUP

/**
 * With a reference to the set: the same list where it has one. Its apiVersion stays: a reference that two controllers write
 * in two versions would never rest. One to a former set of the name becomes one to this: the garbage collector
 * deletes what only a former one owns.
 */
export function withOwner(owners: OwnerReferences, { apiVersion, name, uid }: SetOwner): OwnerReferences {
  const list = owners ?? []
  if (list.some((o) => refersTo(o, name) && o.uid === uid)) return owners
  const former = list.findIndex((o) => refersTo(o, name))
  if (former < 0) return [...list, { apiVersion, kind: KIND, name, uid }]
  return list.with(former, { apiVersion: list[former]!.apiVersion, kind: KIND, name, uid })
}

/** Without any reference to a set of the name: the same list where there is none. */
export const withoutOwner = (owners: OwnerReferences, name: string): OwnerReferences =>
  owners?.some((o) => refersTo(o, name)) ? owners.filter((o) => !refersTo(o, name)) : owners

/**
 * Those of a source whose set is being deleted: the source is the user's and survives, which it does not with Cluster API
 * (#3399), unless it says itself that it goes with its owner.
 */
export const ownersOnDeletion = (
  { annotations, ownerReferences }: ObjectMeta,
  name: string,
): OwnerReferences =>
  annotations?.[SET.deleteWithOwner] === 'true' ? ownerReferences : withoutOwner(ownerReferences, name)
