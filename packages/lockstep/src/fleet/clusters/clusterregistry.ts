/** The clusters of each namespace, their records, and the names that follow from both. */

import type { Cancel } from '@lockstep/kube/env'
import type { PreviousAnswer } from '../connection/identitycheck.ts'
import type { ClusterSession } from '../connection/session.ts'
import type { ClusterView } from './cluster.ts'
import type { ClusterCredential } from './clustercredential.ts'
import { assignClusterNames } from './clusternames.ts'

/** What was written down of a cluster at first contact. */
export interface KnownCluster {
  /** Inventory that knew it. */
  readonly kind: string
  /** uid of its `kube-system` namespace; undefined: it was not reached yet. */
  readonly uid: string | undefined
  /** uid of its object in the inventory. */
  readonly objectUid: string | undefined
}

/** An object of an inventory, by which a cluster is known. */
export type ClusterObject = Pick<ClusterView, 'kind' | 'namespace' | 'objectName'>

/** A session that ended by an exception. */
export interface BrokenSession {
  readonly error: string
  /** Steady milliseconds of the exception. */
  readonly at: number
  /** Earlier exceptions in a row. */
  readonly failures: number
  /** Ends the pause before the next session; undefined: it is over. */
  cancel: Cancel | undefined
}

export interface ClusterMember {
  /** As its units know it. */
  view: ClusterView
  accessVersion: string
  readonly credential: ClusterCredential
  session: ClusterSession | undefined
  /** Who answered there last, by the uid of `kube-system`. */
  uid: string | undefined
  /** Who was met in place of another when its last connection ended. */
  met: PreviousAnswer | undefined
  /** The last exception of a session. */
  broken: BrokenSession | undefined
  /** Another object for the same cluster, which counts instead. */
  duplicateOf: ClusterMember | undefined
}

interface RegistryEntry {
  /** By inventory and name of the object. */
  readonly members: Map<string, ClusterMember>
  readonly records: Map<string, KnownCluster>
  /** How many records name an object, by its uid. */
  readonly named: Map<string, number>
  readonly byName: Map<string, ClusterMember>
  /** Whose name a real cluster has, by its uid: one that nobody else claims changes no other's name. */
  readonly claims: Map<string, string>
  isStale: boolean
}

export class ClusterRegistry {
  private readonly places = new Map<string, RegistryEntry>()
  /** The view of a cluster under its name is another one. */
  private readonly changed: (view: ClusterView) => void

  constructor(changed: (view: ClusterView) => void) {
    this.changed = changed
  }

  /** By its name. */
  get({ namespace, name }: { namespace: string; name: string }): ClusterMember | undefined {
    return this.arranged(namespace).byName.get(name)
  }

  /** By the object, under whatever name. */
  member(object: ClusterObject): ClusterMember | undefined {
    return this.places.get(object.namespace)?.members.get(objectKey(object))
  }

  /** By the object, with the name that it has now. */
  seated(object: ClusterObject): ClusterMember | undefined {
    this.arranged(object.namespace)
    return this.member(object)
  }

  /** Of one namespace. */
  of(namespace: string): Iterable<ClusterMember> {
    return this.arranged(namespace).byName.values()
  }

  *all(): Iterable<ClusterMember> {
    for (const place of this.places.values()) yield* place.members.values()
  }

  /** Those that have clusters, or had. */
  namespaces(): Iterable<string> {
    return this.places.keys()
  }

  record(key: { namespace: string; name: string }): KnownCluster | undefined {
    return this.places.get(key.namespace)?.records.get(key.name)
  }

  add(member: ClusterMember): void {
    const place = this.place(member.view.namespace)
    place.members.set(objectKey(member.view), member)
    place.isStale = true
  }

  remove(view: ClusterView): void {
    const place = this.place(view.namespace)
    place.members.delete(objectKey(view))
    place.isStale = true
  }

  /** The object of a member changed: under the name that it has. */
  update(member: ClusterMember, after: ClusterView): void {
    const { name, standsIn, uid } = member.view
    member.view = { ...after, name, standsIn }
    if (uid !== after.uid) this.place(after.namespace).isStale = true
  }

  /** `undefined`: there is no record of this name any more. */
  note(key: { namespace: string; name: string }, record: KnownCluster | undefined): void {
    const place = this.place(key.namespace)
    const before = place.records.get(key.name)
    if (
      before?.uid === record?.uid &&
      before?.objectUid === record?.objectUid &&
      before?.kind === record?.kind
    )
      return
    if (record) place.records.set(key.name, record)
    else place.records.delete(key.name)
    count(place.named, before?.objectUid, -1)
    count(place.named, record?.objectUid, 1)
    const holder = place.byName.get(key.name)
    const isOurs =
      holder?.view.kind === record?.kind &&
      holder?.view.standsIn === false &&
      (record?.objectUid === undefined || record.objectUid === holder.view.uid) &&
      // No other record is about its object.
      (place.named.get(holder.view.uid) ?? 0) === (record?.objectUid === undefined ? 0 : 1)
    if (!record || before?.uid !== undefined || !isOurs || !claim(place, record.uid, key.name))
      place.isStale = true
    const now = this.get(key)
    if (now) this.changed(now.view)
  }

  /** Who answers at a member has become known. */
  reached(member: ClusterMember): void {
    const place = this.place(member.view.namespace)
    const uid = member.session?.uid
    if (uid === undefined || uid === member.uid) return
    const isFirst = member.uid === undefined
    member.uid = uid
    if (!isFirst || !claim(place, uid, member.view.name)) place.isStale = true
  }

  private place(namespace: string): RegistryEntry {
    const known = this.places.get(namespace)
    if (known) return known
    const place: RegistryEntry = {
      members: new Map(),
      records: new Map(),
      named: new Map(),
      byName: new Map(),
      claims: new Map(),
      isStale: false,
    }
    this.places.set(namespace, place)
    return place
  }

  private arranged(namespace: string): RegistryEntry {
    const place = this.place(namespace)
    if (place.isStale) this.arrange(place)
    return place
  }

  private arrange(place: RegistryEntry): void {
    place.isStale = false
    const candidates = [...place.members.values()].map((member) => ({
      kind: member.view.kind,
      objectName: member.view.objectName,
      objectUid: member.view.uid,
      uid: member.uid,
      member,
    }))
    const records = [...place.records].map(([name, known]) => ({ name, ...known }))
    const moved: ClusterView[] = []
    place.byName.clear()
    place.claims.clear()
    for (const { name, uid } of records) claim(place, uid, name)
    for (const seat of assignClusterNames(candidates, records)) {
      const { member } = seat.candidate
      const { name, standsIn } = seat
      const duplicateOf = seat.duplicateOf?.member
      place.byName.set(name, member)
      if (!duplicateOf) claim(place, seat.candidate.uid, name)
      const before = member.view
      if (before.name === name && before.standsIn === standsIn && member.duplicateOf === duplicateOf) continue
      member.view = { ...before, name, standsIn }
      member.duplicateOf = duplicateOf
      moved.push(before, member.view)
    }
    for (const view of moved) this.changed(view)
  }
}

const objectKey = ({ kind, objectName }: ClusterObject): string => `${kind}/${objectName}`

function count(counts: Map<string, number>, key: string | undefined, by: number): void {
  if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + by)
}

/** False: another name has it. */
function claim({ claims }: RegistryEntry, uid: string | undefined, name: string): boolean {
  if (uid === undefined) return true
  const holder = claims.get(uid)
  if (holder !== undefined) return holder === name
  claims.set(uid, name)
  return true
}
