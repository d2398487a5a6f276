import { type KubeObject, type OwnerReference, parseApiVersion } from '@lockstep/kube/object'
import { controllerUser } from '../auth/user.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { StoredObject } from '../store/storedobject.ts'
import type { StoreEvent } from '../store/storehistory.ts'
import type { DeletePropagation } from '../write/deleteobject.ts'
import { deleteObject } from '../write/deleteobject.ts'
import { updateObject } from '../write/updateobject.ts'
import type { ServerWriteOptions } from '../write/writeoptions.ts'
import { OwnerIndex } from './ownerindex.ts'

const OPTIONS: ServerWriteOptions = {
  manager: 'garbage-collector',
  user: controllerUser('generic-garbage-collector'),
  dryRun: false,
  validation: 'Ignore',
  force: false,
  warn: () => {},
}
const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'
/** What a policy refuses is tried again. */
const RETRY_MS = 5000

/**
 * The garbage collector (kubernetes pkg/controller/garbagecollector): dependents follow their owners, or are let go.
 * Driven by writes; what a write makes due is done at the next turn of the clock, one object after the other.
 */
export class DependentCollector {
  private readonly cluster: EmbeddedCluster
  private readonly index: OwnerIndex
  /** Uids to look at, in the order in which they became due. */
  private readonly due = new Set<string>()
  private scheduled = false
  /** Something of the object that is looked at could not be written. */
  private refused = false

  constructor(cluster: EmbeddedCluster) {
    this.cluster = cluster
    this.index = new OwnerIndex(cluster.store)
    cluster.store.observe((_, e) => this.note(e))
  }

  private note(e: StoreEvent): void {
    const before = e.prev?.object.metadata
    const after = e.next?.object.metadata
    if (after?.uid && after.ownerReferences !== before?.ownerReferences && after.ownerReferences?.length)
      this.add(after.uid)
    if (
      after?.uid &&
      after.deletionTimestamp &&
      after.finalizers?.some((f) => f === ORPHAN || f === FOREGROUND)
    )
      this.add(after.uid)
    const ended = !e.next && before?.uid !== undefined
    // An owner that waits for its dependents is looked at again when one of them goes or lets go.
    if (ended || before?.ownerReferences !== after?.ownerReferences)
      for (const r of before?.ownerReferences ?? []) this.add(r.uid)
    if (ended && before?.uid) for (const uid of this.index.dependentsOf(before.uid)) this.add(uid)
  }

  private add(uid: string): void {
    this.due.add(uid)
    if (this.scheduled) return
    this.scheduled = true
    const { clock } = this.cluster.env
    clock.at(clock.steady(), () => this.run())
  }

  private run(): void {
    for (const uid of this.due) {
      this.due.delete(uid)
      this.refused = false
      this.look(uid)
      if (this.refused) this.retry(uid)
    }
    this.scheduled = false
  }

  private retry(uid: string): void {
    const { clock } = this.cluster.env
    clock.at(clock.steady() + RETRY_MS, () => this.add(uid))
  }

  private look(uid: string): void {
    const found = this.find(uid)
    if (!found) return
    const { metadata } = found.stored.object
    if (metadata.deletionTimestamp !== undefined) {
      if (metadata.finalizers?.includes(ORPHAN)) this.orphan(found.kind, found.stored)
      else if (metadata.finalizers?.includes(FOREGROUND)) this.foreground(found.kind, found.stored)
    } else if (metadata.ownerReferences?.length) this.collect(found.kind, found.stored)
  }

  /** Deletes an object none of whose owners is there; takes away references to owners that are not. */
  private collect(kind: ServedKind, stored: StoredObject): void {
    const refs = stored.object.metadata.ownerReferences ?? []
    const states = refs.map((r) => this.stateOf(stored.object, r))
    if (states.includes('unknowable')) return
    const waiting = refs.filter((_, i) => states[i] === 'waiting')
    if (states.includes('solid')) {
      const drop = refs.filter((_, i) => states[i] !== 'solid')
      if (drop.length > 0) this.dropOwners(kind, stored, drop)
      return
    }
    if (waiting.length > 0 && this.liveDependents(stored.object.metadata.uid ?? '').length > 0) {
      this.unblockCycle(kind, stored)
      this.delete(kind, 'Foreground', stored.key)
    } else this.delete(kind, policyOf(stored.object), stored.key)
  }

  /** `waiting`: it is being deleted and waits for this one. `unknowable`: a cluster-scoped object names a namespaced owner. */
  private stateOf(dependent: KubeObject, r: OwnerReference): 'solid' | 'absent' | 'waiting' | 'unknowable' {
    const owner = this.find(r.uid)
    const ownerKind = this.cluster.kinds.byKind(parseApiVersion(r.apiVersion).group, r.kind)
    if (!ownerKind) return 'unknowable'
    if (ownerKind.info.namespaced && dependent.metadata.namespace === undefined) return 'unknowable'
    if (!owner || owner.kind.table !== ownerKind.table || owner.stored.object.metadata.name !== r.name)
      return 'absent'
    const m = owner.stored.object.metadata
    if (m.namespace !== undefined && m.namespace !== dependent.metadata.namespace) return 'absent'
    return m.deletionTimestamp !== undefined && m.finalizers?.includes(FOREGROUND) ? 'waiting' : 'solid'
  }

  /** Those that wait for each other would wait for ever: what is collected lets go of its block first. */
  private unblockCycle(kind: ServedKind, stored: StoredObject): void {
    const uid = stored.object.metadata.uid ?? ''
    const isInCycle = this.liveDependents(uid).some(
      ({ stored: d }) => d.object.metadata.deletionTimestamp !== undefined,
    )
    if (!isInCycle) return
    const ownerReferences = stored.object.metadata.ownerReferences?.map((r) => ({
      ...r,
      blockOwnerDeletion: false,
    }))
    this.change(kind, stored.key, { ownerReferences })
  }

  /** Dependents are told to go; the owner goes when none that blocks it is left. */
  private foreground(kind: ServedKind, stored: StoredObject): void {
    const uid = stored.object.metadata.uid ?? ''
    const dependents = this.liveDependents(uid)
    const blocking = dependents.filter(({ stored: d }) =>
      d.object.metadata.ownerReferences?.some((r) => r.uid === uid && r.blockOwnerDeletion),
    )
    if (blocking.length === 0) {
      this.dropFinalizer(kind, stored.key, FOREGROUND)
      return
    }
    for (const { stored: d } of dependents)
      if (d.object.metadata.deletionTimestamp === undefined) this.add(d.object.metadata.uid ?? '')
  }

  private orphan(kind: ServedKind, stored: StoredObject): void {
    const uid = stored.object.metadata.uid ?? ''
    for (const d of this.liveDependents(uid)) {
      const refs = d.stored.object.metadata.ownerReferences?.filter((r) => r.uid === uid) ?? []
      this.dropOwners(d.kind, d.stored, refs)
    }
    this.dropFinalizer(kind, stored.key, ORPHAN)
  }

  /** Dependents that are in the same namespace, or whose owner is cluster-scoped: others do not count. */
  private liveDependents(uid: string): Array<{ kind: ServedKind; stored: StoredObject }> {
    const namespace = this.find(uid)?.stored.object.metadata.namespace
    return this.index
      .dependentsOf(uid)
      .flatMap((d) => this.find(d) ?? [])
      .filter(({ stored }) => namespace === undefined || stored.object.metadata.namespace === namespace)
  }

  private dropOwners(kind: ServedKind, stored: StoredObject, drop: readonly OwnerReference[]): void {
    const gone = new Set(drop.map((r) => r.uid))
    const left = stored.object.metadata.ownerReferences?.filter((r) => !gone.has(r.uid))
    this.change(kind, stored.key, { ownerReferences: left?.length ? left : undefined })
  }

  private dropFinalizer(kind: ServedKind, key: string, finalizer: string): void {
    const had = kind.table.live.get(key)?.object.metadata.finalizers ?? []
    const left = had.filter((f) => f !== finalizer)
    this.change(kind, key, { finalizers: left.length > 0 ? left : undefined })
  }

  private change(kind: ServedKind, key: string, members: object): void {
    const stored = kind.table.live.get(key)
    if (!stored) return
    const next = { ...stored.object, metadata: { ...stored.object.metadata, ...members } }
    const done = updateObject(this.cluster, kind, stored, { next, verb: 'patch' }, OPTIONS)
    if (!done.ok) this.refused = true
  }

  /** Carries uid and version: what was judged is what is deleted. */
  private delete(kind: ServedKind, propagation: DeletePropagation, key: string): void {
    const stored = kind.table.live.get(key)
    if (!stored) return
    const { uid, resourceVersion } = stored.object.metadata
    const done = deleteObject(
      this.cluster,
      kind,
      stored,
      { propagation, uid, resourceVersion, graceSeconds: undefined },
      OPTIONS,
    )
    if (!done.ok) this.refused = true
  }

  private find(uid: string): { kind: ServedKind; stored: StoredObject } | undefined {
    const place = this.index.place(uid)
    const stored = place?.table.live.get(place.key)
    if (!place || !stored) return undefined
    const kind = this.cluster.kinds.ofTable(place.table)
    return kind && { kind, stored }
  }
}

/** An object that waits for something keeps waiting for it when it is collected. */
const policyOf = (o: KubeObject): DeletePropagation => {
  if (o.metadata.finalizers?.includes(ORPHAN)) return 'Orphan'
  return o.metadata.finalizers?.includes(FOREGROUND) ? 'Foreground' : 'Background'
}
