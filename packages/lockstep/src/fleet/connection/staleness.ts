/** Whether what is known of a cluster is news: for those elsewhere who wait for it. */

import type { KubeClient } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'

/** Silent for longer than this, and a cluster has to answer one read before it is believed. */
const SILENCE_MS = 60_000

export class StalenessMonitor {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly heardAt: () => number
  private readonly changed: () => void
  private lost: { readonly seconds: number } | undefined
  private asking: Promise<void> | undefined
  /** Somebody elsewhere has waited for what is known of it: from then on nothing of it is kept waiting. */
  isAwaited = false
  private answeredAt = Number.NEGATIVE_INFINITY

  /** `heardAt`: steady time of the last event of a watch; `changed`: the cluster is silent from now on, or answers again. */
  constructor(env: Env, client: KubeClient, heardAt: () => number, changed: () => void) {
    this.env = env
    this.client = client
    this.heardAt = heardAt
    this.changed = changed
  }

  /** Seconds without a word when the last live read failed; undefined: it is heard. */
  get silence(): { readonly seconds: number } | undefined {
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
    const key = { name: 'kube-system' }
    const answer = await this.client.get(namespaceKind, key, { purpose: 'admission' })
    if (answer.ok) {
      this.answeredAt = this.env.clock.steady()
      return this.found()
    }
    const isNew = this.lost === undefined
    this.lost = { seconds: Math.floor(this.silentMs() / 1000) }
    if (isNew) this.changed()
  }

  private found(): void {
    if (!this.lost) return
    this.lost = undefined
    this.changed()
  }

  private silentMs(): number {
    return this.env.clock.steady() - Math.max(this.heardAt(), this.answeredAt)
  }
}
