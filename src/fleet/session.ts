/** A connection to one cluster: its identity, what it serves, and caches of the objects that are ours there. */
import { defineKind } from '../api/kind.ts'
import { namespaceKind } from '../api/kinds/foreign.ts'
import { UNIT_LABEL } from '../api/labels.ts'
import type { ClusterState } from '../core/rollout/types.ts'
import type { Cancel, Env } from '../env/env.ts'
import type { KubeClient, ServedResource } from '../kube/client.ts'
import { type KubeError, kubeErrorText } from '../kube/error.ts'
import { type Informer, startInformer } from '../kube/informer.ts'
import type { Store } from '../kube/store.ts'
import { identityOf, type KubeObject } from '../object/object.ts'
import { type LiveObject, liveOf } from './live.ts'
import { NamedObjects } from './named.ts'
import { Touch } from './touch.ts'

/** No success for so long since the first failure: the cluster counts as unreachable. */
const UNREACHABLE_MS = 50_000
const LEAST_MISSED_MS = 250
const MOST_MISSED_MS = 60_000
/** Where watching is not permitted, as long as nobody asks for less. */
const POLL_MS = 600_000

/** Kinds whose health is that they exist, and whose content is nobody's business here. */
const BY_METADATA: ReadonlySet<string> = new Set(['/ConfigMap', '/Secret'])

export interface SessionEvents {
  /** State, identity or discovery changed: everything on this cluster is decided again. */
  changed(): void
  /** An object that carries the label of `unit` changed. */
  object(unit: string): void
  /** The health of `unit` was read for the first time on this connection. */
  judged(unit: string): void
  /** An object that edges name changed; false: none does any more. */
  named(id: string): boolean
}

export class ClusterSession {
  readonly client: KubeClient
  private readonly env: Env
  private readonly events: SessionEvents
  private readonly identity: Informer<KubeObject, { uid: string }>
  private readonly stores = new Map<string, Informer<KubeObject, LiveObject>>()
  /** Resources whose objects are kept with their data. */
  private readonly withData = new Set<string>()
  private resources: readonly ServedResource[] | undefined
  private discovering: Promise<KubeError | undefined> | undefined
  /** Somebody asked for a kind that is not served: what is served is asked again, more and more seldom. */
  private missed: Cancel | undefined
  private missedWait = LEAST_MISSED_MS
  private failure: { readonly error: KubeError; readonly text: string } | undefined
  private isLost = false
  private lostTimer: Cancel | undefined
  private closed = false
  /** Objects that edges name. */
  readonly named: NamedObjects
  readonly touch: Touch
  /** Resources that the cluster does not let us list, and its words. */
  private readonly refused = new Map<string, string>()
  /** Units whose health was read on this connection. */
  private readonly judged = new Set<string>()
  /** How often each unit wants to look where it cannot watch, in milliseconds. */
  private readonly looks = new Map<string, number>()

  constructor(env: Env, client: KubeClient, events: SessionEvents) {
    this.env = env
    this.client = client
    this.events = events
    this.named = new NamedObjects(
      env,
      client,
      (group, kind, version) => this.served(group, kind, version),
      (id) => events.named(id),
    )
    this.touch = new Touch(
      env,
      client,
      () => this.heardAt(),
      () => this.reconnected(),
    )
    this.identity = startInformer<KubeObject, { uid: string }>(env, client, {
      kind: namespaceKind,
      fieldSelector: 'metadata.name=kube-system',
      project: (o) => ({ uid: o.metadata.uid }),
      onHealth: (error) => this.health(error),
    })
    this.identity.store.subscribe(() => events.changed())
    this.identity.store.onSynced(() => void this.discover())
  }

  /** Counts answers to discovery: what was bound on an older one may be bound otherwise now. */
  discoveries = 0

  /** uid of the `kube-system` namespace; undefined until it was read. */
  get uid(): string | undefined {
    return this.identity.store.get('kube-system')?.uid
  }

  /** Connected only once its identity is known and it has said what it serves. */
  get state(): Extract<ClusterState, 'Provisioning' | 'Unreachable' | 'Connected'> {
    if (this.isLost) return 'Unreachable'
    return this.uid !== undefined && this.resources !== undefined ? 'Connected' : 'Provisioning'
  }

  /** What went wrong last, while something does. */
  get problem(): string | undefined {
    return this.failure?.text
  }

  get rejected(): boolean {
    return this.failure?.error.kind === 'Unauthorized' || this.failure?.error.kind === 'Forbidden'
  }

  /** The served resource of a kind; `version` undefined: the group's preferred one. */
  served(group: string, kind: string, version?: string): ServedResource | undefined {
    const found = this.resources?.find(
      (r) =>
        r.group === group && r.kind === kind && (version === undefined ? r.preferred : r.version === version),
    )
    if (!found && this.resources) this.miss()
    return found
  }

  /** Asks again what the cluster serves; concurrent callers share one request. */
  discover(): Promise<KubeError | undefined> {
    this.discovering ??= this.discoverOnce().finally(() => {
      this.discovering = undefined
    })
    return this.discovering
  }

  /** The cache of our objects of one resource; opened at first use. */
  objects(resource: ServedResource): Store<LiveObject> {
    return this.informerOf(resource).store
  }

  /** From now on the objects of a resource are kept with their data; what is known of them is asked for once more. */
  keepData(resource: ServedResource): void {
    const id = idOf(resource)
    if (this.withData.has(id)) return
    this.withData.add(id)
    this.stores.get(id)?.stop()
    this.stores.delete(id)
  }

  /** Puts the answer of a write into the cache, so that the next decision is made on it. */
  wrote(resource: ServedResource, object: Parameters<typeof liveOf>[0]): void {
    this.informerOf(resource).wrote(object)
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

  /** A unit wants what cannot be watched to be listed so often; the least of all counts. */
  lookEvery(unit: string, ms: number): void {
    this.looks.set(unit, ms)
  }

  /** Why the objects of a resource cannot be listed, in the server's words. */
  refusal(resource: ServedResource): string | undefined {
    return this.refused.get(idOf(resource))
  }

  /** Watching this kind is not permitted. */
  polls(resource: ServedResource): boolean {
    return this.informerOf(resource).polls
  }

  close(): void {
    this.closed = true
    this.named.stop()
    this.lostTimer?.()
    this.missed?.()
    this.identity.stop()
    for (const i of this.stores.values()) i.stop()
    void this.client.close()
  }

  /** Of a Secret never more than its metadata; of a ConfigMap more where somebody needs it. */
  private fieldsOf({ group, kind }: ServedResource, id: string): 'metadata' | 'full' {
    const isKept = this.withData.has(id) && kind !== 'Secret'
    return BY_METADATA.has(`${group}/${kind}`) && !isKept ? 'metadata' : 'full'
  }

  private heardAt(): number {
    const caches = [this.identity, ...this.stores.values()]
    return Math.max(...caches.map((i) => i.store.freshness.lastHeardAt))
  }

  /** What was cached before the silence says nothing any more: everything is listed again. */
  private reconnected(): void {
    this.judged.clear()
    for (const i of this.stores.values()) i.stop()
    this.stores.clear()
    this.named.stop()
    this.events.changed()
  }

  private informerOf(resource: ServedResource): Informer<KubeObject, LiveObject> {
    const id = idOf(resource)
    const known = this.stores.get(id)
    if (known) return known
    const informer = startInformer<KubeObject, LiveObject>(this.env, this.client, {
      kind: defineKind(resource),
      labelSelector: UNIT_LABEL,
      project: (o) => liveOf(o, this.withData.has(id)),
      fields: this.fieldsOf(resource, id),
      pollMs: () => Math.max(1000, Math.min(POLL_MS, ...this.looks.values())),
      indexes: { unit: (o) => (o.unit ? [o.unit] : []), id: (o) => [identityOf(o.ref)] },
      onHealth: (error) => this.kindHealth(id, error),
    })
    this.stores.set(id, informer)
    informer.store.subscribe(({ before, after }) => {
      if (resource.kind === 'CustomResourceDefinition') this.definitionsChanged()
      for (const unit of new Set([before?.unit, after?.unit])) if (unit) this.events.object(unit)
    })
    informer.store.onSynced(() => this.events.changed())
    return informer
  }

  /** Asked for again by everything that still misses it, once the answer is there. */
  private miss(): void {
    if (this.closed || this.missed) return
    const { clock } = this.env
    this.missed = clock.at(clock.steady() + this.missedWait, () => {
      this.missed = undefined
      this.missedWait = Math.min(MOST_MISSED_MS, this.missedWait * 2)
      void this.discover()
    })
  }

  /** A definition of ours changed: its kinds may be served a moment later. */
  private definitionsChanged(): void {
    this.missedWait = LEAST_MISSED_MS
    if (!this.missed) return
    this.missed()
    this.missed = undefined
    this.miss()
  }

  private async discoverOnce(): Promise<KubeError | undefined> {
    const found = await this.client.discover({ why: 'sync' })
    if (this.closed) return undefined
    if (!found.ok) {
      this.health(found.error)
      // The identity informer's next success asks again.
      this.env.clock.at(
        this.env.clock.steady() + 2000,
        () => void (!this.closed && !this.resources && this.discover()),
      )
      return found.error
    }
    this.resources = found.value
    this.discoveries++
    this.closeUnserved(found.value)
    this.health(undefined)
    this.events.changed()
    return undefined
  }

  /** Their definitions are gone; should they come back, all that is known of them is asked for anew. */
  private closeUnserved(resources: readonly ServedResource[]): void {
    const served = new Set(resources.map(idOf))
    for (const [id, informer] of this.stores) {
      if (served.has(id)) continue
      informer.stop()
      this.stores.delete(id)
      this.refused.delete(id)
    }
  }

  /** What the server says of one kind is about that kind; an error of the connection is about the cluster. */
  private kindHealth(id: string, error: KubeError | undefined): void {
    const wasRefused = this.refused.has(id)
    if (isUnserved(error)) this.miss()
    if (error && (error.kind === 'Forbidden' || isUnserved(error))) this.refused.set(id, kubeErrorText(error))
    else {
      this.refused.delete(id)
      this.health(error)
    }
    if (wasRefused !== this.refused.has(id)) this.events.changed()
  }

  private health(error: KubeError | undefined): void {
    if (this.closed || error?.kind === 'Aborted') return
    if (!error) {
      const wasLost = this.isLost
      this.failure = undefined
      this.isLost = false
      this.lostTimer?.()
      this.lostTimer = undefined
      if (wasLost) this.reconnected()
      return
    }
    this.failure = { error, text: kubeErrorText(error) }
    this.lostTimer ??= this.env.clock.at(this.env.clock.steady() + UNREACHABLE_MS, () => {
      this.isLost = true
      this.events.changed()
    })
  }
}

/** A kind is gone, not the cluster. */
const isUnserved = (error: KubeError | undefined): boolean =>
  error?.kind === 'KindUnknown' || error?.kind === 'NotFound'

const idOf = (r: ServedResource): string => `${r.group}/${r.version}/${r.plural}`
