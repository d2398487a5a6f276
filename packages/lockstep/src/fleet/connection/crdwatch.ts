/** Definitions of kinds on a cluster, whoever makes them: watched while somebody misses a kind that does not come soon. */

import { type Informer, startInformer } from '@lockstep/kube/cache'
import type { KubeClient } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import { crdKind } from '@lockstep/kube/kinds'
import type { KubeObject } from '@lockstep/kube/object'

export interface CrdWatchEvents {
  /** All that there are have been seen: one may have come before. */
  known(): void
  /** One came, went, or says something else, such as that it is established. */
  changed(): void
}

export class CrdWatch {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly events: CrdWatchEvents
  private informer: Informer<KubeObject, string> | undefined
  /** The right is lacking: discovery alone has to find out. */
  private isDenied = false

  constructor(env: Env, client: KubeClient, events: CrdWatchEvents) {
    this.env = env
    this.client = client
    this.events = events
  }

  get isWatching(): boolean {
    return this.informer !== undefined
  }

  watch(): void {
    if (this.informer || this.isDenied) return
    const informer = startInformer<KubeObject, string>(this.env, this.client, {
      kind: crdKind as never,
      fields: 'metadata',
      project: (o) => o.metadata.resourceVersion,
      onHealth: (error) => {
        if (error?.kind !== 'Forbidden') return
        this.isDenied = true
        this.leave()
      },
    })
    this.informer = informer
    informer.store.subscribe(() => {
      if (informer.store.freshness.state !== 'Syncing') this.events.changed()
    })
    informer.store.onSynced(() => this.events.known())
  }

  leave(): void {
    this.informer?.stop()
    this.informer = undefined
  }
}
