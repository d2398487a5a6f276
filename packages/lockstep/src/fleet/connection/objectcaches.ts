/** Caches of the objects on one cluster that are ours, one for each resource, opened at first use. */

import {
  type Informer,
  type InformerOptions,
  type ReadOnlyStore,
  type ScopedInformer,
  startInformer,
  startScopedInformer,
} from '@lockstep/kube/cache'
import {
  type KubeClient,
  type RequestError,
  requestErrorText,
  type ServedResource,
} from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import {
  defineKind,
  identityOf,
  isSecret,
  type KubeObject,
  type ObjectReference,
} from '@lockstep/kube/object'
import { UNIT_LABEL } from '../../api/labels.ts'
import { hasSucceeded, type LiveObject, liveObjectOf } from './liveobject.ts'
import { FRESH_MS } from './objectselections.ts'
import { nextPollIntervalMs } from './pollinterval.ts'

/** Where watching is not permitted, as long as nobody asks for less. */
const POLL_MS = 600_000
const LEAST_POLL_MS = 1000
const MAX_ENDED = 10_000

/** Kinds whose health is that they exist, and whose content is nobody's business here. */
const BY_METADATA: ReadonlySet<string> = new Set(['/ConfigMap', '/Secret'])

/** `WatchStale`: the right is there, and the server cannot do it now. */
export interface ListRefusal {
  readonly reason: 'Forbidden' | 'AnswerRefused' | 'WatchStale'
  /** The server's. */
  readonly words: string
}

/** A kind whose watches open and deliver nothing. */
export interface MuteWatch {
  /** `apps/Deployment`. */
  readonly kind: string
  /** Wall-clock milliseconds of the last event. */
  readonly since: number
}

export interface ObjectCacheEvents {
  /** A cache is complete, or what the cluster refuses to list has changed. */
  changed(): void
  /** The object `id` (`identityOf`), which carries the label of `unit`, changed. */
  object(unit: string, id: string): void
  definition(): void
  /** A kind is not served any more. */
  unserved(): void
  /** A list or watch of a kind failed, or works again: that is about the cluster. */
  health(id: string, error: RequestError | undefined): void
  /** What went wrong with it is about the kind. */
  answered(id: string): void
}

export class ObjectCaches {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly events: ObjectCacheEvents
  private readonly informers = new Map<
    string,
    Informer<KubeObject, LiveObject> & Partial<Pick<ScopedInformer<KubeObject, LiveObject>, 'follow'>>
  >()
  /** Resources whose objects are kept with their data. */
  private readonly withData = new Set<string>()
  /** Resources that the cluster does not list, and why. */
  private readonly refused = new Map<string, ListRefusal>()
  private readonly mute = new Map<string, MuteWatch>()
  /** Steady time of the last list of a silent kind. */
  private readonly askedAt = new Map<string, number>()
  /** uids of Jobs and Pods that succeeded and are gone, the oldest first. */
  private readonly ended = new Set<string>()
  /** How often each unit wants to look where it cannot watch, in milliseconds. */
  private readonly looks = new Map<string, number>()
  /** Kinds and namespaces of the objects of each unit: watched one by one where all namespaces may not be. */
  private readonly used = new Map<string, ReadonlySet<string>>()
  /** Units with objects of a kind in a namespace, by `placeOf`. */
  private readonly users = new Map<string, number>()
  /** Namespaces with such units, by kind. */
  private readonly namespaces = new Map<string, Set<string>>()
  private isUsed = false
  /** Time of the last event of closed caches, by the steady clock: the cluster was up then. */
  private droppedAt = Number.NEGATIVE_INFINITY

  constructor(env: Env, client: KubeClient, events: ObjectCacheEvents) {
    this.env = env
    this.client = client
    this.events = events
  }

  of(resource: ServedResource): ReadOnlyStore<LiveObject> {
    return this.informerOf(resource).store
  }

  /** Puts the answer of a write into the cache, so that the next decision is made on it. */
  wrote(resource: ServedResource, object: Parameters<typeof liveObjectOf>[0]): void {
    this.informerOf(resource).observeWrite(object)
  }

  /**
   * From now on the objects of a resource are kept with their data; what is known of them is asked for once more. Of a
   * Secret never more than its metadata is kept.
   */
  keepData(resource: ServedResource): void {
    const id = idOf(resource)
    if (isSecret(resource) || this.withData.has(id)) return
    this.withData.add(id)
    this.drop(id)
  }

  /** A unit wants what cannot be watched to be listed so often; the least of all counts, at once. */
  lookEvery(unit: string, ms: number): void {
    const before = this.pollMs()
    this.looks.set(unit, ms)
    if (this.pollMs() >= before) return
    for (const i of this.informers.values()) if (i.polls) i.relist()
  }

  /** Objects of a unit: no kind is watched in a namespace that has none of it. */
  use(unit: string, objects: Iterable<PlacedObject>): void {
    const places = new Set([...objects].flatMap((o) => (o.namespace ? [placeOf(o, o.namespace)] : [])))
    const known = this.used.get(unit)
    this.used.set(unit, places)
    this.moved(known ?? NOWHERE, places)
  }

  /** The unit is gone. */
  lookNoMore(unit: string): void {
    this.looks.delete(unit)
    const known = this.used.get(unit)
    if (!known) return
    this.used.delete(unit)
    this.moved(known, NOWHERE)
  }

  /** Informers follow where a namespace has its first or last unit of a kind: most units come to places that others have. */
  private moved(before: ReadonlySet<string>, after: ReadonlySet<string>): void {
    const isFirst = !this.isUsed
    this.isUsed = true
    let hasChanged = isFirst
    for (const place of after) if (!before.has(place) && this.count(place, 1) === 1) hasChanged = true
    for (const place of before) if (!after.has(place) && this.count(place, -1) === 0) hasChanged = true
    if (hasChanged) for (const i of this.informers.values()) i.follow?.()
  }

  private count(place: string, by: 1 | -1): number {
    const count = (this.users.get(place) ?? 0) + by
    const [kind = '', namespace = ''] = place.split(' ')
    const namespaces = this.namespaces.get(kind) ?? new Set()
    this.namespaces.set(kind, namespaces)
    if (count === 0) {
      this.users.delete(place)
      namespaces.delete(namespace)
    } else {
      this.users.set(place, count)
      namespaces.add(namespace)
    }
    return count
  }

  /** Why the objects of a resource cannot be listed. */
  refusal(resource: ServedResource): ListRefusal | undefined {
    return this.refused.get(idOf(resource))
  }

  /** The first answer about a kind that another program than a Kubernetes API gave. */
  get refusedAnswer(): string | undefined {
    for (const { reason, words } of this.refused.values()) if (reason === 'AnswerRefused') return words
    return undefined
  }

  /** The first kind whose watches deliver nothing. */
  get muteWatch(): MuteWatch | undefined {
    for (const found of this.mute.values()) return found
    return undefined
  }

  /** False: the watch of the kind was silent for a minute, and the kind is being listed. */
  isCurrent(resource: ServedResource): boolean {
    const id = idOf(resource)
    const informer = this.informers.get(id)
    if (!informer || informer.store.freshness.state === 'Syncing') return true
    const now = this.env.clock.steady()
    if (informer.store.freshness.lastHeardAt + FRESH_MS > now) return true
    if ((this.askedAt.get(id) ?? Number.NEGATIVE_INFINITY) + FRESH_MS <= now) {
      this.askedAt.set(id, now)
      informer.refresh()
    }
    return false
  }

  /** Watching this kind is not permitted. */
  polls(resource: ServedResource): boolean {
    return this.informerOf(resource).polls
  }

  /** It had succeeded when it went. */
  hasEnded(uid: string): boolean {
    return this.ended.has(uid)
  }

  private noteEnded(uid: string): void {
    this.ended.add(uid)
    // Whoever delivered it has seen its event long ago.
    const [oldest] = this.ended
    if (this.ended.size > MAX_ENDED && oldest !== undefined) this.ended.delete(oldest)
  }

  /** When the cluster last said something, by the steady clock. */
  heardAt(): number {
    return Math.max(this.droppedAt, ...[...this.informers.values()].map((i) => i.store.freshness.lastHeardAt))
  }

  /** The definitions of others are gone; should they come back, all that is known of them is asked for anew. */
  keepOnly(resources: readonly ServedResource[]): void {
    const served = new Set(resources.map(idOf))
    for (const id of this.informers.keys()) {
      if (served.has(id)) continue
      this.drop(id)
      this.refused.delete(id)
    }
  }

  stop(): void {
    for (const id of this.informers.keys()) this.drop(id)
  }

  private drop(id: string): void {
    const informer = this.informers.get(id)
    if (!informer) return
    this.droppedAt = Math.max(this.droppedAt, informer.store.freshness.lastHeardAt)
    informer.stop()
    this.informers.delete(id)
    this.mute.delete(id)
  }

  private pollMs(): number {
    return Math.max(LEAST_POLL_MS, Math.min(POLL_MS, ...this.looks.values()))
  }

  /** Each kind of each cluster at its own time, and at the same time after a restart. */
  private nextInMs(id: string): number {
    const now = this.env.clock.now()
    return nextPollIntervalMs({ cluster: this.client.cluster, kind: id }, this.pollMs(), now) - now
  }

  private namespacesOf(resource: ServedResource): ReadonlySet<string> {
    return this.namespaces.get(kindOf(resource)) ?? NOWHERE
  }

  private informerOf(resource: ServedResource): Informer<KubeObject, LiveObject> {
    const id = idOf(resource)
    const known = this.informers.get(id)
    if (known) return known
    const withData = this.withData.has(id)
    const byMetadata = BY_METADATA.has(`${resource.group}/${resource.kind}`)
    const options: InformerOptions<KubeObject, LiveObject> = {
      kind: defineKind(resource),
      labelSelector: UNIT_LABEL,
      project: (o) => liveObjectOf(o, withData),
      fields: byMetadata && !withData ? 'metadata' : 'full',
      pollMs: () => this.nextInMs(id),
      indexes: { unit: (o) => (o.unit ? [o.unit] : []), id: (o) => [identityOf(o.ref)] },
      onHealth: (error) => this.health(id, error),
      onMute: (since) => {
        const { group, kind } = resource
        if (since === undefined) this.mute.delete(id)
        else this.mute.set(id, { kind: group === '' ? kind : `${group}/${kind}`, since })
        this.events.changed()
      },
    }
    const informer = resource.namespaced
      ? startScopedInformer(this.env, this.client, options, () => this.namespacesOf(resource))
      : startInformer(this.env, this.client, options)
    this.informers.set(id, informer)
    informer.store.subscribe(({ before, after }) => {
      if (before && !after && hasSucceeded(before.object)) this.noteEnded(before.uid)
      if (resource.kind === 'CustomResourceDefinition') this.events.definition()
      const id = identityOf((after ?? before)!.ref)
      for (const unit of new Set([before?.unit, after?.unit])) if (unit) this.events.object(unit, id)
    })
    informer.store.onSynced(() => this.events.changed())
    if (this.isUsed) this.informers.get(id)?.follow?.()
    return informer
  }

  /**
   * What the server says of one kind is about that kind: a webhook that converts it, for example, may be out of order.
   * Where it says the same of all, the identity of the cluster cannot be read either.
   */
  private health(id: string, error: RequestError | undefined): void {
    const wasRefused = this.refused.has(id)
    if (error && !OF_CLUSTER.has(error.kind)) {
      this.events.answered(id)
      if (isUnserved(error)) this.events.unserved()
      else this.refused.set(id, refusalOf(error))
    } else {
      this.refused.delete(id)
      this.events.health(id, error)
    }
    if (wasRefused !== this.refused.has(id)) this.events.changed()
  }
}

type PlacedObject = Pick<ObjectReference, 'group' | 'kind' | 'namespace'>

const NOWHERE: ReadonlySet<string> = new Set()

const kindOf = ({ group, kind }: Pick<PlacedObject, 'group' | 'kind'>): string => `${group}/${kind}`

const placeOf = (o: Pick<PlacedObject, 'group' | 'kind'>, namespace: string): string =>
  `${kindOf(o)} ${namespace}`

/** The server could not be reached, or knows us no more. */
const OF_CLUSTER: ReadonlySet<RequestError['kind']> = new Set(['Unreachable', 'Deadline', 'Unauthorized'])

const REFUSALS: { readonly [kind in RequestError['kind']]?: ListRefusal['reason'] } = {
  Forbidden: 'Forbidden',
  Malformed: 'AnswerRefused',
}

const refusalOf = (error: RequestError): ListRefusal => ({
  reason: REFUSALS[error.kind] ?? 'WatchStale',
  words: requestErrorText(error),
})

/** A kind is gone, not the cluster. */
const isUnserved = (error: RequestError): boolean => error.kind === 'KindUnknown' || error.kind === 'NotFound'

const idOf = (r: ServedResource): string => `${r.group}/${r.version}/${r.plural}`
