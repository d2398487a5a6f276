/** What holds of each commit: nothing is applied twice, nothing of others is touched, and what is recorded is true. */

import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import { at, isArray, type KubeObject } from '../../../packages/kube/src/object/index.ts'
import type { SetRecord, SetSourceRecord } from '../../../packages/lockstep/src/api/kinds/inventory/spec.ts'
import { NAMESPACE } from '../../fleet/simfleet.ts'
import type { ClusterFact, RecordedFacts, SetFact } from './setfacts.ts'
import { idOf, resourceOf, says } from './sourcecontent.ts'

const BINDINGS = 'clusterresourcesetbindings.addons.cluster.x-k8s.io'
/** A connection that is lost may be back for bindings before it is for Clusters. */
const FEW = 50
const INVENTORIES = 'inventories.lockstep.dev'
const UNIT = 'lockstep.dev/unit'

/** Who writes on a cluster. */
type Who = 'ours' | 'upstream' | 'person' | 'nobody'

export function whoOf(c: CommitRecord): Who {
  if (c.actor === 'lockstep' || c.actor.startsWith('lockstep-controller')) return 'ours'
  if (c.actor === 'manager') return 'upstream'
  return PEOPLE.has(c.actor) ? 'person' : 'nobody'
}

/** By field manager, and who deletes by the name of the program. */
const PEOPLE: ReadonlySet<string> = new Set(['user', 'test'])

/** What one cluster was written, while it was itself. */
interface Place {
  /** When it was made, milliseconds of the run; 0: it was there from the beginning. */
  readonly madeMs: number
  /** Objects that have been there, and which of those somebody else has written since we last did. */
  readonly been: Set<string>
  readonly touched: Set<string>
}

export class SetJudge {
  readonly problems: string[] = []
  readonly tested: Record<string, number> = {}
  /** Objects of others: on all clusters. */
  readonly strangers = new Set<string>()
  /** For so long what somebody has decided by what was so before may be under way, milliseconds. */
  graceMs = 5000
  /** What processes know may be as old as this. */
  staleFrom = Number.POSITIVE_INFINITY
  private readonly facts: RecordedFacts
  private readonly isLate: (number: number) => boolean
  /** Modules that stay. */
  private readonly modules = new Set<string>()
  private readonly places = new Map<string, Place>()
  /** Inventories of sets, by `set cluster`. */
  private readonly records = new Map<string, KubeObject>()
  /** What ApplyOnce has recorded to have applied: `set-uid cluster source`, or with an object behind it. */
  private readonly applied = new Set<string>()
  /** By which name commits of a cluster are seen now. */
  private readonly own = new Map<string, string>()

  constructor(facts: RecordedFacts, isLate: (number: number) => boolean) {
    this.facts = facts
    this.isLate = isLate
  }

  remade(cluster: string, own: string): void {
    this.own.set(cluster, own)
    this.places.set(own, { madeMs: this.facts.now, been: new Set(), touched: new Set() })
  }

  place(cluster: string): Place {
    const own = this.own.get(cluster) ?? cluster
    const known = this.places.get(own) ?? { madeMs: 0, been: new Set(), touched: new Set() }
    this.places.set(own, known)
    return known
  }

  record(set: string, cluster: string): SetRecord | undefined {
    return at(this.records.get(`${set} ${cluster}`), 'spec', 'set') as SetRecord | undefined
  }

  get inventories(): ReadonlyMap<string, KubeObject> {
    return this.records
  }

  see(c: CommitRecord, number: number): void {
    if (c.cluster === 'hub') this.onHub(c)
    else if (c.cluster === (this.own.get(nameOf(c)) ?? c.cluster)) this.onCluster(c, this.isLate(number))
  }

  private check(id: string, holds: boolean, problem: () => string): void {
    this.tested[id] = (this.tested[id] ?? 0) + 1
    if (!holds) this.problems.push(`${id} at ${(this.facts.now / 1000).toFixed(1)} s: ${problem()}`)
  }

  private onHub(c: CommitRecord): void {
    if (c.resource === 'configmaps' || c.resource === 'secrets') this.onSource(c)
    if (c.resource === 'modules.lockstep.dev') this.onModule(c)
    if (c.resource !== INVENTORIES) return
    const about = (c.next ?? c.old)!
    if (at(about, 'spec', 'moduleRef', 'kind') !== 'ClusterResourceSet') return
    const [set, cluster] = ['moduleRef', 'clusterRef'].map((f) => String(at(about, 'spec', f, 'name')))
    const id = `${set} ${cluster}`
    const before = this.record(set!, cluster!)
    if (c.next) this.records.set(id, c.next)
    else this.records.delete(id)
    // What is recorded of another cluster of that name says nothing of this one.
    if (at(about, 'spec', 'clusterUid') !== this.clusterUid(cluster!)) return
    const after = this.record(set!, cluster!)
    for (const e of after?.sources ?? []) {
      const old = before?.sources?.find((b) => b.kind === e.kind && b.name === e.name)
      this.remember(set!, cluster!, e)
      // What is read from a binding is said by another one.
      const isRead = before?.takenOver === undefined
      if (e.begun && !old?.begun) this.isAnother(set!, e)
      if (e.applied && !isRead && !(old?.applied && old.hash === e.hash)) this.isTrue(set!, cluster!, e, c)
    }
  }

  private onModule({ key, next }: CommitRecord): void {
    const name = key.slice(key.indexOf('/') + 1)
    if (next && next.metadata.deletionTimestamp === undefined) this.modules.add(name)
    else this.modules.delete(name)
  }

  /** D10: what people have written goes when people say so. */
  private onSource(c: CommitRecord): void {
    const isSource = this.facts.hashes.has(c.key.slice(NAMESPACE.length + 1))
    if (!isSource || c.next || !/s\d+-[abc]$/.test(c.key)) return
    const set = /(s\d+)-[abc]$/.exec(c.key)![1]!
    const isOurs = this.lately(this.facts.sets.get(set)?.since(0)).every((s) => s.isManaged)
    if (isOurs) this.check('sources stay', PEOPLE.has(c.actor), () => `${c.key} was deleted by ${c.actor}`)
  }

  /** What was written while a Cluster was gone: nobody makes again and again what somebody else deletes. */
  gone(cluster: string, commits: readonly CommitRecord[]): void {
    // Who hears nothing of Clusters does not know of it.
    if (this.staleFrom < Number.POSITIVE_INFINITY) return
    const writes = commits.filter((c) => c.resource === BINDINGS && c.key === `${NAMESPACE}/${cluster}`)
    const text = () => `${cluster}: its binding was written ${writes.length} times while its Cluster was gone`
    this.check('gone Clusters', writes.length <= FEW, text)
  }

  private lately<T>(past: readonly (T | undefined)[] | undefined): T[] {
    return (past ?? []).filter((x) => x !== undefined)
  }

  private remember(set: string, cluster: string, e: SetSourceRecord): void {
    const fact = this.facts.sets.get(set)?.now
    if (fact?.mode !== 'ApplyOnce' || e.reapply !== fact.reapply) return
    const id = `${fact.uid} ${this.own.get(cluster) ?? cluster} ${e.name}`
    if (e.applied) this.applied.add(id)
    for (const d of e.done ?? [])
      this.applied.add(
        `${id} ${resourceOf({ apiVersion: `${d.group}/v1`, kind: d.kind } as KubeObject)} ${keyOf(d)}`,
      )
  }

  /** What is begun is a content that the source has, or had a moment ago. */
  private isAnother(set: string, e: SetSourceRecord): void {
    const hashes = this.facts.hashes
      .get(e.name)
      ?.since(Math.min(this.facts.now - this.graceMs, this.staleFrom))
    const holds = hashes?.some((h) => h !== e.hash) === true
    this.check('changed', holds, () => `${set}: another content of ${e.name} is begun, and it is as it was`)
  }

  /** All of it is there, or was and was deleted; with its content, where that is looked after. */
  private isTrue(set: string, cluster: string, e: SetSourceRecord, c: CommitRecord): void {
    const content = this.facts.contents.get(e.hash)
    const mode = this.facts.sets.get(set)?.now?.mode
    const { been, touched } = this.place(cluster)
    for (const o of content?.objects ?? []) {
      const id = idOf(o)
      const live = this.live(cluster, o)
      const holds =
        mode === 'ApplyOnce'
          ? been.has(id)
          : been.has(id) && (touched.has(id) || says(live, { ...o, metadata: {} }))
      this.check(
        'true record',
        holds,
        () =>
          `${set} on ${cluster}: ${e.name} is said to be applied by ${c.agent}, and ${id} is ${JSON.stringify(live)}`,
      )
    }
  }

  clusterUid: (cluster: string) => string = () => ''
  live: (cluster: string, o: KubeObject) => KubeObject | undefined = () => undefined

  private onCluster(c: CommitRecord, isLate: boolean): void {
    const who = whoOf(c)
    const id = `${c.resource} ${c.key}`
    const cluster = nameOf(c)
    const { been, touched } = this.place(cluster)
    if (who === 'ours' && !isBookkeeping(c)) this.ours(c, cluster, id, isLate)
    been.add(id)
    if (who === 'ours' && c.next) touched.delete(id)
    else if (who !== 'ours') touched.add(id)
    if (who === 'upstream') this.upstream(cluster, id)
  }

  private ours(c: CommitRecord, cluster: string, id: string, isLate: boolean): void {
    this.check('I5', !this.strangers.has(id), () => `${cluster}: ${id} is somebody else's: ${c.verb}`)
    const source = this.facts.sourceOf.get(id)
    if (c.key.includes(BASE_OBJECT)) return
    this.check('I5', source !== undefined, () => `${cluster}: ${id} is in no source: ${c.verb}`)
    // What was sent before another one began to lead is nobody's decision any more.
    if (!source || isLate) return
    const from = Math.min(this.facts.now - this.graceMs, this.staleFrom)
    const sets = this.lately(this.facts.sets.get(source.set)?.since(from))
    const clusters = this.lately(this.facts.clusters.get(cluster)?.since(from))
    const what = `${source.set} on ${cluster}: ${c.verb} ${id}`
    const isOpen = clusters.some((k) => !k.isPaused && !k.isDeleting)
    this.check('paused', isOpen, () => `${what}: the cluster is paused, or its object is gone`)
    const [was, is] = [mark(c.old), mark(c.next)]
    if (c.next && !isMarkedDeleted(c) && is === undefined && was !== undefined && c.verb !== 'apply') {
      // What a Module of before has let go of late is no matter of the one that is to come.
      if (this.modules.has(`crs-${source.set}`)) this.isReleased(what, sets, clusters)
      return
    }
    this.isAllowed(what, sets)
    if (!c.next || isMarkedDeleted(c)) {
      this.isDeleted(what, was, sets, clusters)
      return
    }
    const write = { cluster, set: source.set, source: source.name, id, verb: c.verb, sets, from }
    if (is?.startsWith('s.')) this.byReconcile(write)
    else if (is === undefined) this.byApplyOnce(write)
  }

  /** At some time lately the set was ours to write; or was being deleted: who does that has decided, also of what is paused. */
  private isAllowed(what: string, sets: readonly SetFact[]): void {
    const mayWrite = sets.some((s) => s.isDeleting || (s.isManaged && !s.isPaused))
    this.check('paused', mayWrite, () => `${what}: the set is paused, gone or not ours`)
    const isHeldOff = sets.some((s) => s.isHeldOff)
    this.check('handshake', isHeldOff, () => `${what}: Cluster API is not held off`)
  }

  /** I7. */
  private isDeleted(
    what: string,
    was: string | undefined,
    sets: readonly SetFact[],
    clusters: readonly ClusterFact[],
  ): void {
    const isMeant = sets.some((s) => s.prunes || (s.isDeleting && s.deletes))
    this.check('I7', isMeant, () => `${what} was deleted, and nobody has asked for that`)
    this.check('I7', was?.startsWith('m.') === true, () => `${what} was deleted with the mark ${was}`)
    const isThere = clusters.some((k) => !k.isPaused && !k.isDeleting)
    this.check('I7', isThere, () => `${what} was deleted, and its cluster is absent or paused`)
  }

  /** It is let go of, where it might have been deleted: only where it has not left, or leaves are not followed. */
  private isReleased(what: string, sets: readonly SetFact[], clusters: readonly ClusterFact[]): void {
    const isMeant =
      sets.some(
        (s) => !s.prunes || s.mode !== 'Continuous' || !s.isManaged || (s.isDeleting && !s.deletes),
      ) || clusters.some((k) => k.isDeleting)
    this.check('released', isMeant, () => `${what} was let go of, and is to be deleted`)
  }

  /** One success for each cluster; and nothing is written that nobody writes down. */
  private byApplyOnce(w: JudgedWrite): void {
    const uid = this.facts.sets.get(w.set)?.now?.uid
    const id = `${uid} ${this.own.get(w.cluster) ?? w.cluster} ${w.source}`
    const isDone = this.applied.has(id) || this.applied.has(`${id} ${w.id}`)
    this.check('once', !isDone, () => `${w.set} on ${w.cluster}: ${w.verb} ${w.id}, which was applied before`)
    this.isWrittenDown(w)
  }

  /** Another hash, or another wish. */
  private byReconcile(w: JudgedWrite): void {
    this.isWrittenDown(w)
    const e = this.record(w.set, w.cluster)?.sources?.find((x) => x.name === w.source)
    if (!e?.applied) return
    const hashes = this.facts.hashes.get(w.source)?.since(w.from) ?? []
    const isAnother = hashes.some((h) => h !== e.hash)
    const isAsked = w.sets.some((s) => s.reapply !== undefined && s.reapply !== e.reapply)
    this.check(
      'changed',
      // After a crash amid another content all is written, whatever the source says again.
      isAnother || isAsked || e.begun === true,
      () => `${w.set} on ${w.cluster}: ${w.verb} ${w.id}, whose source is as it was`,
    )
  }

  private isWrittenDown({ set, cluster, verb, id }: JudgedWrite): void {
    const isKnown = this.record(set, cluster)?.takenOver !== undefined
    this.check('written down', isKnown, () => `${set} on ${cluster}: ${verb} ${id} without a record`)
  }

  /** From the hand that has given it to us nothing comes any more. */
  private upstream(cluster: string, id: string): void {
    const source = this.facts.sourceOf.get(id)
    if (!source) return
    const sets = this.facts.sets.get(source.set)?.since(this.facts.now - UPSTREAM_MS) ?? []
    const isOurs = sets.length > 0 && sets.every((s) => s?.isManaged && s.isHeldOff)
    this.check(
      'one hand',
      !isOurs,
      () => `${source.set} on ${cluster}: Cluster API wrote ${id}, and the set is ours`,
    )
  }

  /** From now on nothing of a set is remembered: it is asked for once more, or comes from other hands. */
  forget(set: string): void {
    const uid = this.facts.sets.get(set)?.now?.uid
    for (const id of this.applied) if (id.startsWith(`${uid} `)) this.applied.delete(id)
  }
}

/** Longer than a run of Cluster API takes that had begun before the pause. */
const UPSTREAM_MS = 60_000

interface JudgedWrite {
  readonly cluster: string
  readonly set: string
  readonly source: string
  readonly id: string
  readonly verb: string
  readonly sets: readonly SetFact[]
  readonly from: number
}

export const BASE_OBJECT = 'base-object'

/** `c1~2` is `c1`, made anew. */
const nameOf = (c: CommitRecord): string => c.cluster.split('~')[0]!

export const mark = (o: KubeObject | undefined): string | undefined => o?.metadata.labels?.[UNIT]

const isMarkedDeleted = ({ old, next }: CommitRecord): boolean =>
  next?.metadata.deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined

/** Stamps, and where they are. */
const isBookkeeping = ({ key }: CommitRecord): boolean =>
  key.startsWith('lockstep-system/') || key === 'lockstep-system'

const keyOf = (d: { readonly namespace?: string | undefined; readonly name: string }): string =>
  d.namespace === undefined ? d.name : `${d.namespace}/${d.name}`

export const list = (o: unknown, ...path: string[]): readonly unknown[] => {
  const found = at(o as KubeObject, ...path)
  return isArray(found) ? found : []
}
