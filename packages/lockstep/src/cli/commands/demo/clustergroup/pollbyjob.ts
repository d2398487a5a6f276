/** The script of the Job, simulated: its Pod runs until one of its looks finds the class. */
import type { LocalApi } from '@lockstep/apiserver/server'
import type { Cancel } from '@lockstep/kube/env'
import type { SimEnv } from '@lockstep/kube/sim'
import type { WorkloadFailure, World } from '@lockstep/simulators/world'
import { CLASS_NAME, JOB_NAME } from './raceplayers.ts'

/** `sleep 5` between two looks, as in the chart. */
const EVERY_MS = 5000
/** Its image is pulled, its container begins; then comes the first look. */
const BEGIN_MS = [1000, 3000] as const

/** Call the result at the end. */
export function pollByJob(env: SimEnv, local: LocalApi, world: World): Cancel {
  const isPolling: WorkloadFailure = { workload: JOB_NAME, outcome: 'NeverReady' }
  world.fail(isPolling)
  const random = env.random.fork('polls')
  const [least, most] = BEGIN_MS
  let next: Cancel | undefined
  const look = (): void => {
    if (local.get('storageclasses.storage.k8s.io', '', CLASS_NAME)) world.heal(isPolling)
    else next = env.clock.at(env.clock.steady() + EVERY_MS, look)
  }
  const unwatch = local.watch('pods', ({ type, object }) => {
    if (type !== 'ADDED' || object.metadata.labels?.['job-name'] !== JOB_NAME) return
    next = env.clock.at(env.clock.steady() + least + random.next() * (most - least), look)
  })
  return () => {
    next?.()
    unwatch()
  }
}
