/** A connection to one cluster: who it is, what it serves, what of it is cached, and whether it can be spoken to. */

import { type Informer, type ReadOnlyStore, startInformer } from '@lockstep/kube/cache'
import {
  type KubeClient,
  type Lane,
  type RequestError,
  requestErrorText,
  type ServedResource,
  type Urgency,
} from '@lockstep/kube/client'
import { type Cancel, type Env, type HostRefusal, supervise } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import type { KubeObject } from '@lockstep/kube/object'
import type { RecordClient } from '../../api/records.ts'
import type { ClusterState } from '../../decisions/rollout/index.ts'
import { ClusterDiscovery } from './discovery.ts'
import { IdentityCheck, type IdentityCheckEvents, type PreviousAnswer } from './identitycheck.ts'
import { identityGuard } from './identityguard.ts'
import type { LiveObject, liveObjectOf } from './liveobject.ts'
import { type ListRefusal, type MuteWatch, ObjectCaches } from './objectcaches.ts'
import { ObjectSelections } from './objectselections.ts'
import { Reachability } from './reachability.ts'
import { StalenessMonitor } from './staleness.ts'

/** Who answers is asked about so often, beside each time that a connection breaks (ADR 0051). */
const IDENTITY = { leastSeconds: 240, mostSeconds: 300 }

/**
 * Milliseconds until a refused write is forgotten. Pending writes are sent again sooner. Without pending writes the refused one was
 * executed, and no later write proves that the proxy is gone.
 */
const REFUSED_WRITE_MS = 60_000

export interface SessionEvents {
  /** State, identity or discovery changed: everything on this cluster is decided again. */
  changed(): void
  /** The object `id` (`identityOf`), which carries the label of `unit`, changed. */
  object(unit: string, id: string): void
  /** The health of `unit` was read for the first time on this connection. */
  judged(unit: string): void
  /** What a selection finds changed; false: nobody looks at it any more. */
  selected(id: string): boolean
  /** Another cluster answers. */
  another(met: Omit<PreviousAnswer, 'times'>): void
  /** Milliseconds until it may be tried once more whether it is back; undefined: nobody waits for that. */
  knock(): number | undefined
}

export class ClusterSession {
  readonly client: KubeClient
  /** For marks of ours on the cluster: on the hub with the rights of the controller. */
  readonly records: RecordClient
  private readonly env: Env
  private readonly events: SessionEvents
  private readonly lane: Lane
  private readonly recognition: IdentityCheck
  /** Whatever else happens, a cluster says each minute that it is there, and with each watch who it is. */
  private readonly identity: Informer<KubeObject, string>
  private readonly discovery: ClusterDiscovery
  private readonly reachability: Reachability
  private readonly own: ObjectCaches
  /** The same connection with the rights of accounts, by user. */
  private readonly acting = new Map<string, ClusterSession>()
  /** Objects that edges and checkpoints look at. */
  readonly selections: ObjectSelections
  readonly hearing: StalenessMonitor
  private refusedWrite: string | undefined
  private forgetRefusedWrite: Cancel = () => {}
  /** Units whose health was read on this connection. */
  private readonly judged = new Set<string>()

  /** `lane`: where what nobody waits for has its turns. */
  constructor(env: Env, unguarded: KubeClient, events: SessionEvents, lane: Lane, met?: PreviousAnswer) {
    this.env = env
    this.events = events
    this.lane = lane
    this.reachability = new Reachability(env, {
      lost: () => events.changed(),
      back: () => this.reconnected(),
    })
    this.recognition = new IdentityCheck(env, unguarded, this.whoAnswers(), met)
    const { client, own, selections, soon } = this.openObjects(unguarded)
    this.client = client
    this.records = client
    this.own = own
    this.selections = selections
    this.discovery = new ClusterDiscovery(env, soon, {
      failed: (error) => this.reachability.note('discovery', error),
      found: (resources) => this.discovered(resources),
    })
    this.hearing = new StalenessMonitor(
      env,
      this.client,
      () => Math.max(this.identity.store.freshness.lastHeardAt, this.own.heardAt()),
      { began: () => events.changed(), ended: () => this.reconnected() },
    )
    this.identity = startInformer<KubeObject, string>(env, soon, {
      kind: namespaceKind,
      fieldSelector: 'metadata.name=kube-system',
      project: (o) => o.metadata.uid,
      watchOnly: (uid) => this.recognition.read(uid),
      lasts: IDENTITY,
      // The right to read it is enough: then nobody says each minute that the cluster is there.
      onHealth: (error) => error?.kind === 'Forbidden' || this.reachability.note('identity', error),
    })
  }

  /**
   * The same connection for an account: objects are read and written by another client, and caches are its own. What the
   * cluster is, serves and answers is known once for all.
   */
  as(user: string, unguarded: () => KubeClient): ClusterSession {
    const known = this.acting.get(user)
    if (known) return known
    const { client, own, selections } = this.openObjects(unguarded(), user)
    const parts = { client: { value: client }, own: { value: own }, selections: { value: selections } }
    const made: ClusterSession = Object.create(this, parts)
    this.acting.set(user, made)
    return made
  }

  /** The right of a user to read an object was refused: watches of it end. */
  refuse(user: string, right: Parameters<ObjectSelections['refuse']>[0]): void {
    this.acting.get(user)?.selections.refuse(right)
  }

  /** Clients and caches for the rights of one user. */
  private openObjects(unguarded: KubeClient, user?: string) {
    const { env, events, lane, recognition } = this
    const inTurn = (urgency: Urgency): KubeClient =>
      identityGuard(unguarded, recognition, (n, signal) => lane.acquire(urgency, n, signal))
    const [soon, later] = [inTurn('soon'), inTurn('later')]
    const own = new ObjectCaches(env, later, {
      changed: () => events.changed(),
      object: (unit, id) => events.object(unit, id),
      definition: () => this.discovery.definitionsChanged(),
      unserved: () => this.discovery.miss(),
      health: (id, error) => this.reachability.note(id, error),
      answered: (id) => this.reachability.answered(id),
    })
    const served = (group: string, kind: string, version: string) => this.served(group, kind, version)
    const selections = new ObjectSelections(env, soon, served, (id) => events.selected(id), user)
    const client = identityGuard(unguarded, recognition, undefined, (error) => this.wroteTo(error))
    return { client, own, selections, soon }
  }

  /** Counts answers to discovery. */
  get discoveries(): number {
    return this.discovery.answers
  }

  /** uid of the `kube-system` namespace; undefined until it was read. */
  get uid(): string | undefined {
    return this.recognition.uid
  }

  /** Connected only once its identity is known and it has said what it serves. */
  get state(): Extract<ClusterState, 'Provisioning' | 'Unreachable' | 'Connected'> {
    if (this.reachability.isLost) return 'Unreachable'
    return this.uid !== undefined && this.discovery.isKnown ? 'Connected' : 'Provisioning'
  }

  /** What went wrong last, while something does. */
  get problem(): string | undefined {
    return this.reachability.problem
  }

  /** Wall clock, milliseconds: when that began. */
  get problemSince(): number | undefined {
    return this.reachability.since
  }

  get hostRefusal(): HostRefusal | undefined {
    return this.reachability.refusal
  }

  get rejected(): boolean {
    return this.reachability.rejected
  }

  /** Another program than a Kubernetes API answers. */
  get refusesAnswer(): boolean {
    return this.reachability.refusesAnswer
  }

  /** It answers, and does not let us see who it is. */
  get hidden(): boolean {
    return this.reachability.isForbidden('identity')
  }

  /** Served resources in their preferred versions. */
  get resources(): readonly ServedResource[] {
    return this.discovery.preferred
  }

  /** The served resource of a kind; `version` undefined: the group's preferred one. */
  served(group: string, kind: string, version?: string): ServedResource | undefined {
    return this.discovery.served(group, kind, version)
  }

  /** All served resources. */
  get kinds(): readonly ServedResource[] {
    return this.discovery.kinds
  }

  /** The served resource that people call so, as kubectl finds it: `sc`, `storageclasses.storage.k8s.io`. */
  named(type: string): ServedResource | undefined {
    return this.discovery.named(type)
  }

  /** Asks again what the cluster serves; concurrent callers share one request. */
  discover(): Promise<RequestError | undefined> {
    return this.discovery.ask()
  }

  /** The same, without waiting for the answer. */
  discoverBeside(): void {
    this.discovery.askBeside()
  }

  /** The cache of our objects of one resource; opened at first use. */
  objects(resource: ServedResource): ReadOnlyStore<LiveObject> {
    return this.own.of(resource)
  }

  /** The object had succeeded when it was deleted. */
  hasEnded(uid: string): boolean {
    return this.own.hasEnded(uid)
  }

  /** From now on the objects of a resource are kept with their data, those of Secrets excepted. */
  keepData(resource: ServedResource): void {
    this.own.keepData(resource)
  }

  /** Puts the answer of a write into the cache, so that the next decision is made on it. */
  wrote(resource: ServedResource, object: Parameters<typeof liveObjectOf>[0]): void {
    this.own.wrote(resource, object)
  }

  /** The health of a unit was read from complete caches. */
  judge(unit: string): void {
    if (this.judged.has(unit)) return
    this.judged.add(unit)
    this.events.judged(unit)
  }

  wasJudged(unit: string): boolean {
    return this.judged.has(unit)
  }

  /** A unit wants what cannot be watched to be listed once in so many milliseconds. */
  lookEvery(unit: string, ms: number): void {
    this.own.lookEvery(unit, ms)
  }

  /** All objects of a unit: where they are, their kinds are watched. */
  use(unit: string, objects: Parameters<ObjectCaches['use']>[1]): void {
    this.own.use(unit, objects)
  }

  lookNoMore(unit: string): void {
    this.own.lookNoMore(unit)
  }

  /** Why the objects of a resource cannot be listed. */
  refusal(resource: ServedResource): ListRefusal | undefined {
    return this.own.refusal(resource)
  }

  /** False: the watch of the kind was silent for a minute, and the kind is being listed. */
  isCurrent(resource: ServedResource): boolean {
    return this.own.isCurrent(resource)
  }

  /** An answer about a kind, or to a write, that another program than a Kubernetes API gave. */
  get refusedAnswer(): string | undefined {
    return this.refusedWrite ?? this.own.refusedAnswer
  }

  /** A kind whose watches deliver nothing. */
  get muteWatch(): MuteWatch | undefined {
    return this.own.muteWatch
  }

  /** Watching this kind is not permitted. */
  polls(resource: ServedResource): boolean {
    return this.own.polls(resource)
  }

  /** Something that concerns the cluster has changed: whoever waits for its turn may have somebody waiting for it. */
  look(): void {
    this.lane.look()
  }

  /** Its credential is back: if it does not answer it is asked now. */
  hurry(): void {
    this.recognition.hurry()
  }

  close(): void {
    this.reachability.stop()
    this.recognition.stop()
    this.discovery.stop()
    this.identity.stop()
    this.forgetRefusedWrite()
    this.stopObjects()
    this.lane.letGo()
    supervise(this.env, () => this.client.close())
  }

  private whoAnswers(): IdentityCheckEvents {
    return {
      turn: () => this.lane.acquire('soon', 1),
      urgent: () => this.lane.letGo(),
      recognised: (waited) => {
        this.reachability.note('identity', undefined)
        if (!this.discovery.isKnown) this.discoverBeside()
        if (waited || !this.discovery.isKnown) this.events.changed()
      },
      failed: (error) => this.reachability.note('identity', error),
      another: (uid) => this.events.another({ uid, was: this.uid! }),
      knock: () => this.events.knock(),
    }
  }

  /** Writes share one proxy, so the last outcome is that of all. */
  private wroteTo(error: RequestError | undefined): void {
    const isRefused = error?.kind === 'Malformed'
    if (error && !isRefused) return
    const { clock } = this.env
    const before = this.refusedWrite
    this.forgetRefusedWrite()
    this.refusedWrite = isRefused ? requestErrorText(error) : undefined
    if (isRefused)
      this.forgetRefusedWrite = clock.at(clock.steady() + REFUSED_WRITE_MS, () => this.wroteTo(undefined))
    if ((before === undefined) !== (this.refusedWrite === undefined)) this.events.changed()
  }

  private discovered(resources: readonly ServedResource[]): void {
    for (const { own } of [this, ...this.acting.values()]) own.keepOnly(resources)
    this.reachability.note('discovery', undefined)
    this.events.changed()
  }

  /** What was cached before the silence says nothing any more: everything is listed again. */
  private reconnected(): void {
    this.judged.clear()
    this.stopObjects()
    this.events.changed()
  }

  private stopObjects(): void {
    for (const { own, selections } of [this, ...this.acting.values()]) {
      own.stop()
      selections.stop()
    }
  }
}
