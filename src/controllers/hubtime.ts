/**
 * What time it is for windows, for the end of a Hold, and for whatever is stored to be compared later: the hub's, which is
 * the same for every process that ever leads.
 */
import { type Skew, skewOf } from '../core/rollout/skew.ts'
import type { Env } from '../env/env.ts'
import type { KubeClient } from '../kube/client.ts'

export interface HubTime {
  /**
   * Milliseconds since the epoch, never later than the hub's clock shows, and by a second at most earlier: what is waited
   * for may come late by that, never early. Where the hub has not said, it is our own.
   */
  readonly nowMs: number
  readonly skewMs: Skew
}

export function hubTime({ hub, env }: HubClient): HubTime {
  const own = env.clock.now()
  const { serverTime } = hub.client
  return { nowMs: serverTime?.nowMs ?? own, skewMs: skewOf(serverTime, own) }
}

interface HubClient {
  readonly hub: { readonly client: Pick<KubeClient, 'serverTime'> }
  readonly env: { readonly clock: Pick<Env['clock'], 'now'> }
}
