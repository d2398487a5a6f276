/** Simulated workloads on one cluster: what is delivered there runs, or fails as told, so that health is earned. */
import type { Env } from '../../../packages/kube/src/env/env.ts'
import type { LocalApi } from '../../../packages/apiserver/src/server/localapi.ts'
import type { WorldApi } from './api.ts'
import { Behaviour, type Failure } from './behaviour.ts'
import { runDaemonSets } from './daemonsets.ts'
import { runDeployments } from './deployments.ts'
import { type Delays, Engine, INSTANT } from './engine.ts'
import { runJobs } from './jobs.ts'
import { localWorldApi } from './local.ts'
import { runMachines } from './machines.ts'
import { type OperatorPlans, runOperators } from './olm/operators.ts'
import { runPods } from './pods.ts'
import { runReplicaSets } from './replicasets.ts'
import { runStatefulSets } from './statefulsets.ts'
import { runVolumesAndServices } from './volumes.ts'

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
  fail(failure: Failure): void
  heal(failure: Failure): void
  stop(): void
}

/** Starts the workloads of an embedded cluster. */
export const startWorld = (env: Env, local: LocalApi, options: WorldOptions): World =>
  startWorldOn(env, localWorldApi(local), options)

/** The same over any API that a world can live on. */
export function startWorldOn(env: Env, api: WorldApi, options: WorldOptions): World {
  const behaviour = new Behaviour()
  const engine = new Engine({
    env,
    api,
    random: env.random.fork(`world/${options.name}`),
    delays: options.delays ?? INSTANT,
    behaviour,
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
      behaviour.add(failure)
      engine.stir()
    },
    heal(failure) {
      behaviour.remove(failure)
      engine.stir()
    },
    stop: () => engine.stop(),
  }
}

export type { Failure } from './behaviour.ts'
export { type Delays, LIFELIKE } from './engine.ts'
