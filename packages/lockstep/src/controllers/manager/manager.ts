/** One process of controllers: caches, queue, workers. */

import type { KubeClient } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { WebhookReceiver } from '../../gitproviders/events/index.ts'
import type { HubInformers } from '../cache/index.ts'
import type { ManagerOptions } from '../runtime/index.ts'
import { ControllerManager } from './run.ts'

export interface Manager {
  /** Resolves once all caches are complete and work has begun. */
  readonly started: Promise<void>
  /** Nothing is ready or being worked on. Timers may be pending. */
  readonly idle: boolean
  readonly hub: HubInformers
  readonly fleet: Fleet
  /** Who takes events; undefined: nobody yet, or nobody any more. */
  readonly eventDesk: WebhookReceiver | undefined
  stop(): void
}

/** Runs the controllers against a hub until stopped. */
export function startManager(env: Env, client: KubeClient, options: ManagerOptions = {}): Manager {
  const run = new ControllerManager(env, client, options)
  return {
    started: run.started,
    get idle() {
      return run.queue.idle && run.upstreams.idle
    },
    hub: run.hub,
    fleet: run.fleet,
    get eventDesk() {
      return run.eventDesk
    },
    stop: () => run.stop(),
  }
}
