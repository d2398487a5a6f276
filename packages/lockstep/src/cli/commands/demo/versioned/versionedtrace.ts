/** What one system did with the scenario: every write to the cluster, from the moment at which the release was written. */

import type { CommitRecord, LocalApi } from '@lockstep/apiserver/server'
import type { SimEnv } from '@lockstep/kube/sim'
import {
  AFTER,
  BEFORE,
  type FluxViolation,
  type Judgement,
  judge,
  type SeenWrite,
  type WatchedUnit,
} from '@lockstep/simulators/flux'
import { isReadyMachine, machineDefinitions } from '@lockstep/simulators/workloads'
import type { Delays, WorkloadFailure, World } from '@lockstep/simulators/world'
import { CHECK_JOB, SLOW } from './versionedscenario.ts'

export interface VersionedTrace {
  /** Name of the column, such as `Flux 2`. */
  readonly system: string
  readonly begunMs: number
  readonly violations: readonly VersionedFault[]
  readonly progress: Judgement['progress']
  /** When the checkpoint said yes to the new release, if it ever did. */
  readonly checkedMs?: number
}

/** `Unchecked`: machines were replaced, and nobody had looked at them since their network was new. */
export interface VersionedFault extends Omit<FluxViolation, 'kind'> {
  readonly kind: FluxViolation['kind'] | 'Unchecked'
}

export const DELAYS: Delays = { notice: [20, 120], start: [1500, 2500] }

/** Collects the writes to a cluster. */
export class TraceRecorder {
  readonly writes: SeenWrite[] = []

  add(c: CommitRecord, env: SimEnv): void {
    this.writes.push({ atMs: env.clock.steady(), nowMs: env.clock.now(), old: c.old, next: c.next })
  }

  /** `units`: as this system has them. */
  trace(
    system: string,
    units: readonly WatchedUnit[],
    begunMs: number,
    checkedMs: number | undefined,
  ): VersionedTrace {
    const { violations, progress } = judge(units, this.writes)
    return {
      system,
      begunMs,
      violations: [...violations, ...uncheckedIn(progress, checkedMs)],
      progress,
      ...(checkedMs === undefined ? {} : { checkedMs }),
    }
  }
}

/** The check has to come after the network was ready, and before the first machine is replaced. */
export function uncheckedIn(
  progress: Judgement['progress'],
  checkedMs: number | undefined,
): readonly VersionedFault[] {
  const startedMs = progress.get('machines')?.startedMs
  const readyMs = progress.get('network')?.readyMs ?? Number.POSITIVE_INFINITY
  if (startedMs === undefined) return []
  if (checkedMs !== undefined && readyMs <= checkedMs && checkedMs <= startedMs) return []
  const why =
    checkedMs === undefined || checkedMs > startedMs
      ? 'they were not checked again'
      : 'they were checked before the network was new'
  const object = 'MachineDeployment/workers'
  const message = `machines: ${object} went to release ${AFTER}, though ${why}`
  return [{ kind: 'Unchecked', atMs: startedMs, unit: 'machines', object, message }]
}

/** The machine that the cluster itself runs on: there before anything is delivered. */
const CONTROL_PLANE = {
  apiVersion: 'cluster.x-k8s.io/v1beta1',
  kind: 'Machine',
  metadata: { name: 'control-plane-0', namespace: 'default' },
  spec: { version: BEFORE, providerID: 'sim://control-plane-0' },
}

export function furnishMachines(local: LocalApi): void {
  for (const o of [...machineDefinitions(), CONTROL_PLANE]) {
    const made = local.create(o, 'demo')
    if (!made.ok) throw new Error(made.error.message)
  }
}

/** From now on the new network takes its time. */
export function makeSlow(env: SimEnv, world: World): void {
  const failure: WorkloadFailure = { image: SLOW.image, outcome: 'ImagePull' }
  world.fail(failure)
  env.clock.at(env.clock.steady() + SLOW.forMs, () => world.heal(failure))
}

/** The checking Job ends only when all machines are ready. */
export function checkMachines(local: LocalApi, world: World): () => void {
  const rules = ['', '-v1', '-v2'].map(
    (suffix): WorkloadFailure => ({ workload: `${CHECK_JOB}${suffix}`, outcome: 'NeverReady' }),
  )
  let isHeld = false
  const look = (): void => {
    const machines = local.list('machines.cluster.x-k8s.io', 'default')
    const holds = machines.some((m) => !isReadyMachine(m))
    if (holds === isHeld) return
    isHeld = holds
    for (const rule of rules) holds ? world.fail(rule) : world.heal(rule)
  }
  return local.watch('machines.cluster.x-k8s.io', look)
}
