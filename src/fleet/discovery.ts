/** What a cluster serves; asked again, more and more seldom, while somebody misses a kind. */
import type { Cancel, Env } from '../env/env.ts'
import type { KubeClient, ServedResource } from '../kube/client.ts'
import type { KubeError } from '../kube/error.ts'

const LEAST_MISSED_MS = 250
const MOST_MISSED_MS = 60_000
/** Until the first answer. */
const AGAIN_MS = 2000

export interface DiscoveryEvents {
  failed(error: KubeError): void
  found(resources: readonly ServedResource[]): void
}

export class Discovery {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly events: DiscoveryEvents
  private resources: readonly ServedResource[] | undefined
  private asking: Promise<KubeError | undefined> | undefined
  private missed: Cancel | undefined
  private missedWait = LEAST_MISSED_MS
  private again: Cancel | undefined
  private stopped = false
  /** Counts answers: what was bound on an older one may be bound otherwise now. */
  answers = 0

  constructor(env: Env, client: KubeClient, events: DiscoveryEvents) {
    this.env = env
    this.client = client
    this.events = events
  }

  get isKnown(): boolean {
    return this.resources !== undefined
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

  /** Asks; concurrent callers share one request. */
  ask(): Promise<KubeError | undefined> {
    this.asking ??= this.askOnce().finally(() => {
      this.asking = undefined
    })
    return this.asking
  }

  /** Asked for again by everything that still misses it, once the answer is there. */
  miss(): void {
    if (this.stopped || this.missed) return
    const { clock } = this.env
    this.missed = clock.at(clock.steady() + this.missedWait, () => {
      this.missed = undefined
      this.missedWait = Math.min(MOST_MISSED_MS, this.missedWait * 2)
      void this.ask()
    })
  }

  /** A definition of ours changed: its kinds may be served a moment later. */
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
  }

  private async askOnce(): Promise<KubeError | undefined> {
    const found = await this.client.discover({ why: 'sync' })
    if (this.stopped) return undefined
    if (found.ok) {
      this.resources = found.value
      this.answers++
      this.events.found(found.value)
      return undefined
    }
    this.events.failed(found.error)
    if (!this.resources) this.askLater()
    return found.error
  }

  private askLater(): void {
    const { clock } = this.env
    this.again?.()
    this.again = clock.at(clock.steady() + AGAIN_MS, () => void this.ask())
  }
}
