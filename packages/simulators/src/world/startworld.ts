/** Simulated workloads on one cluster: what is delivered there runs, or fails as told, so that health is earned. */

import type { LocalApi } from '@lockstep/apiserver/server'
import type { Env } from '@lockstep/kube/env'
import { type OperatorPlans, runOperators } from '../olm/operatorplans.ts'
import { Behavior, type WorkloadFailure } from '../workloads/behavior.ts'
import { runDaemonSets } from '../workloads/daemonsets.ts'
import { runDeployments } from '../workloads/deployments.ts'
import { type Delays, Engine, INSTANT } from '../workloads/engine.ts'
import { localWorldApi } from '../workloads/localworldapi.ts'
import { runMachines } from '../workloads/machines.ts'
import { runReplicaSets } from '../workloads/replicasets.ts'
import { runJobs } from '../workloads/runjobs.ts'
import { runPods } from '../workloads/runpods.ts'
import { runStatefulSets } from '../workloads/statefulsets.ts'
import { runVolumesAndServices } from '../workloads/volumes.ts'
import type { WorldApi } from '../workloads/worldapi.ts'

export interface WorldOptions {
  /** Names the random stream: equal names and seeds give equal runs. */
  readonly name: string
  readonly delays?: Delays
  /** `pods`: only what a kubelet does, where real controllers run (a real API server). */
  readonly profile?: 'all' | 'pods'
  /** Machines of Cluster API too; their definitions come from `machineDefinitions()`. */
  readonly machines?: boolean
  /** Operators of OLM, by their packages; its definitions come from `patternDefinitions()`. */
  readonly operators?: OperatorPlans
}

export interface World {
  /** From now on; running Pods that match fail too. */
  fail(failure: WorkloadFailure): void
  heal(failure: WorkloadFailure): void
  stop(): void
}

/** Starts the workloads of an embedded cluster. */
export const startWorld = (env: Env, local: LocalApi, options: WorldOptions): World =>
  startWorldOn(env, localWorldApi(local), options)

/** The same over any API that a world can live on. */
export function startWorldOn(env: Env, api: WorldApi, options: WorldOptions): World {
  const behavior = new Behavior()
  const engine = new Engine({
    env,
    api,
    random: env.random.fork(`world/${options.name}`),
    delays: options.delays ?? INSTANT,
    behavior,
  })
  runPods(engine)
  if (options.machines) runMachines(engine)
  if (options.operators) runOperators(engine, options.operators)
  if (options.profile !== 'pods') {
    runReplicaSets(engine)
    runDeployments(engine)
    runStatefulSets(engine)
    runDaemonSets(engine)
    runJobs(engine)
    runVolumesAndServices(engine)
  }
  engine.start()
  return {
    fail(failure) {
      behavior.add(failure)
      engine.stir()
    },
    heal(failure) {
      behavior.remove(failure)
      engine.stir()
    },
    stop: () => engine.stop(),
  }
}

export type { WorkloadFailure } from '../workloads/behavior.ts'
export { type Delays, LIFELIKE } from '../workloads/engine.ts'
