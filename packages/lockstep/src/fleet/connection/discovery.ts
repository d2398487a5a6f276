/** What a cluster serves; asked again, more and more seldom, while somebody misses a kind, and when a definition changes. */

import {
  type KubeClient,
  type RequestError,
  resolveResourceType,
  type ServedResource,
} from '@lockstep/kube/client'
import { type Cancel, type Env, supervise } from '@lockstep/kube/env'
import { CrdWatch } from './crdwatch.ts'

const LEAST_MISSED_MS = 250
const MOST_MISSED_MS = 60_000
/** What is missed for so long is made by somebody else: definitions are watched. A delivery's own are seen anyway. */
const WATCHED_FROM_MS = 4000
/** Nobody has missed anything for so long: they are watched no more. */
const UNWATCHED_AFTER_MS = 60_000
/** Until the first answer. */
const AGAIN_MS = 2000

export interface ClusterDiscoveryEvents {
  failed(error: RequestError): void
  found(resources: readonly ServedResource[]): void
}

export class ClusterDiscovery {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly events: ClusterDiscoveryEvents
  private resources: readonly ServedResource[] | undefined
  private asking: Promise<RequestError | undefined> | undefined
  private missed: Cancel | undefined
  private missedWait = LEAST_MISSED_MS
  private readonly definitions: CrdWatch
  private missedAt = Number.NEGATIVE_INFINITY
  private leaving: Cancel | undefined
  private again: Cancel | undefined
  private stopped = false
  /** Counts answers: what was bound on an older one may be bound otherwise now. */
  answers = 0

  constructor(env: Env, client: KubeClient, events: ClusterDiscoveryEvents) {
    this.env = env
    this.client = client
    this.events = events
    this.definitions = new CrdWatch(env, client, {
      known: () => this.askBeside(),
      changed: () => this.definitionsChanged(),
    })
  }

  get isKnown(): boolean {
    return this.resources !== undefined
  }

  /** All of them, in their preferred versions. */
  get preferred(): readonly ServedResource[] {
    return this.resources?.filter((r) => r.preferred) ?? []
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

  /** All resources; empty before the first answer. */
  get kinds(): readonly ServedResource[] {
    return this.resources ?? []
  }

  /** The resource that people call so: `sc`, `storageclasses.storage.k8s.io`. */
  named(type: string): ServedResource | undefined {
    const found = this.resources && resolveResourceType(this.resources, type)
    if (!found && this.resources) this.miss()
    return found
  }

  /** Asks; concurrent callers share one request. */
  ask(): Promise<RequestError | undefined> {
    this.asking ??= this.askOnce().finally(() => {
      this.asking = undefined
    })
    return this.asking
  }

  /** The same, without waiting for the answer. */
  askBeside(): void {
    supervise(this.env, () => this.ask())
  }

  /** Asked for again by everything that still misses it, once the answer is there. */
  miss(): void {
    const { clock } = this.env
    this.missedAt = clock.steady()
    if (this.stopped || this.missed) return
    if (this.missedWait >= WATCHED_FROM_MS) this.definitions.watch()
    this.missed = clock.at(clock.steady() + this.missedWait, () => {
      this.missed = undefined
      this.missedWait = Math.min(MOST_MISSED_MS, this.missedWait * 2)
      this.askBeside()
    })
  }

  /** A definition changed: its kinds may be served a moment later. */
  definitionsChanged(): void {
    this.missedWait = LEAST_MISSED_MS
    if (!this.missed) return
    this.missed()
    this.missed = undefined
    this.miss()
  }

  stop(): void {
    this.stopped = true
    this.missed?.()
    this.again?.()
    this.leaving?.()
    this.definitions.leave()
  }

  private async askOnce(): Promise<RequestError | undefined> {
    const found = await this.client.discover({ purpose: 'sync' })
    if (this.stopped) return undefined
    if (found.ok) {
      this.resources = found.value
      this.answers++
      this.leaveLater()
      this.events.found(found.value)
      return undefined
    }
    this.events.failed(found.error)
    if (!this.resources) this.askLater()
    return found.error
  }

  /** Who misses a kind that this answer has not either says so at once. */
  private leaveLater(): void {
    if (!this.definitions.isWatching) return
    const { clock } = this.env
    const answeredAt = clock.steady()
    this.leaving?.()
    this.leaving = clock.at(answeredAt + UNWATCHED_AFTER_MS, () => {
      if (this.missedAt < answeredAt) this.definitions.leave()
    })
  }

  private askLater(): void {
    const { clock } = this.env
    this.again?.()
    this.again = clock.at(clock.steady() + AGAIN_MS, () => this.askBeside())
  }
}
