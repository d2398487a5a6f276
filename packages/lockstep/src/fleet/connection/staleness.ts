/** Whether what is known of a cluster is news: for those elsewhere who wait for it. */

import type { KubeClient } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import { timestamp } from '@lockstep/kube/object'
import type { ObservedSilence } from '../../decisions/gate/index.ts'

/** Silent for longer than this, and a cluster has to answer one read before it is believed. */
const SILENCE_MS = 60_000
/** Milliseconds after which a silent cluster is asked again, however many wait for it. */
export const SILENT_AGAIN_MS = 10_000

export interface StalenessEvents {
  /** Called when the silence begins, or its cause changes. */
  began(): void
  /** Called when the cluster answers again: caches from before are outdated. */
  ended(): void
}

export class StalenessMonitor {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly heardAt: () => number
  private readonly events: StalenessEvents
  private lost: ObservedSilence | undefined
  private asking: Promise<void> | undefined
  /** Somebody elsewhere has waited for what is known of it: from then on nothing of it is kept waiting. */
  isAwaited = false
  private answeredAt = Number.NEGATIVE_INFINITY
  private failedAt = Number.NEGATIVE_INFINITY

  /** `heardAt`: steady time of the last event of a watch. */
  constructor(env: Env, client: KubeClient, heardAt: () => number, events: StalenessEvents) {
    this.env = env
    this.client = client
    this.heardAt = heardAt
    this.events = events
  }

  /** Undefined: it is heard. */
  get silence(): ObservedSilence | undefined {
    return this.lost
  }

  /** Reads something if nothing was heard for a minute. Callers at one time share the request. */
  confirm(): Promise<void> {
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined
    })
    return this.asking
  }

  private async ask(): Promise<void> {
    const silent = this.silentMs()
    if (silent <= SILENCE_MS) return this.found()
    this.isAwaited = true
    if (this.lost && this.env.clock.steady() - this.failedAt < SILENT_AGAIN_MS) return
    const key = { name: 'kube-system' }
    const answer = await this.client.get(namespaceKind, key, { purpose: 'admission' })
    if (answer.ok) {
      this.answeredAt = this.env.clock.steady()
      return this.found()
    }
    this.failedAt = this.env.clock.steady()
    const because = answer.error.kind === 'Forbidden' ? 'Forbidden' : 'NoAnswer'
    if (this.lost?.because === because) return
    const since = this.lost?.since ?? timestamp(this.env.clock.now() - silent)
    this.lost = { since, because }
    this.events.began()
  }

  private found(): void {
    if (!this.lost) return
    this.lost = undefined
    this.events.ended()
  }

  private silentMs(): number {
    return this.env.clock.steady() - Math.max(this.heardAt(), this.answeredAt)
  }
}
