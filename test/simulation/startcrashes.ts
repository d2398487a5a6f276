/** A controller that dies at some write, and is started again a little later: for ever, until calm. */

import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Env, Random } from '../../packages/kube/src/env/env.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { SimFleet } from '../fleet/simfleet.ts'
import { type SimProcess, spawn } from './process.ts'
import { chance } from './scenario.ts'

const work = (env: Env): void => {
  const hub = env.net.connect({ url: 'https://hub.test' }, 'operator')
  startManager(env, createHttpClient(env, 'hub', hub, 'lockstep-controller'), { workers: 4 })
}

/** `writes`: at one of its first so many it dies. */
export function startCrashes(
  fleet: Pick<SimFleet, 'env'>,
  random: Random,
  writes: number,
  manage: (env: Env) => unknown = work,
): { calm(): void } {
  let isCalm = false
  let starts = 0
  let process: SimProcess | undefined
  const start = (): void => {
    const crash =
      !isCalm && chance(random, 0.7)
        ? { write: 1 + Math.floor(random.next() * writes), after: chance(random, 0.5) }
        : undefined
    const plan = { delayMs: 40, lossRate: 0.02, dropRate: 0.01, ...(crash ? { crash } : {}) }
    const spawned = spawn(fleet.env, `controller-${++starts}`, plan)
    if (isCalm) spawned.calm()
    process = spawned
    manage(spawned.env)
    spawned.onDeath(() => {
      const { clock } = fleet.env
      clock.at(clock.steady() + 500 + random.next() * 3000, start)
    })
  }
  start()
  return {
    calm() {
      isCalm = true
      process?.calm()
    },
  }
}
