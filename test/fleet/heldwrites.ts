/** Schedulers whose writes wait until a test lets them go, in the order that it wants. */

import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Connection, NetRequest } from '../../packages/kube/src/env/net.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { SimFleet } from './simfleet.ts'

export interface HeldWrite {
  readonly by: number
  go(): void
}

/** `isHeld`: which of its requests wait. */
export function scheduler(
  fleet: SimFleet,
  by: number,
  held: HeldWrite[],
  isHeld: (r: NetRequest) => boolean,
): void {
  const inner = fleet.env.net.connect({ url: 'https://hub.test' }, 'operator')
  const connection: Connection = {
    async request(r) {
      if (isHeld(r)) await new Promise<void>((go) => held.push({ by, go }))
      return inner.request(r)
    },
    close: () => inner.close(),
  }
  startManager(fleet.env, createHttpClient(fleet.env, 'hub', connection, 'lockstep-controller'))
}
