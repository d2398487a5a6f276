/** One process of controllers: caches, queue, workers. */
import type { Env } from '../../../../kube/src/env/env.ts'
import type { Fleet } from '../../fleet/clusters/fleet.ts'
import type { KubeClient } from '../../../../kube/src/client/client.ts'
import type { WebhookReceiver } from '../../gitproviders/events/webhookreceiver.ts'
import type { HubInformers } from '../cache/hubcaches.ts'
import type { ManagerOptions } from '../runtime/options.ts'
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
