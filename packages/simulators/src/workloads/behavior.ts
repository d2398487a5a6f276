/** What is made to go wrong, and where. */
import { at, isArray, type KubeObject } from '@lockstep/kube/object'

export type WorkloadOutcome = 'ImagePull' | 'CrashLoop' | 'NeverReady' | 'Fail'

/** Applies to Pods whose owner (Deployment, StatefulSet, DaemonSet, Job) or image matches; absent members match all. */
export interface WorkloadFailure {
  readonly namespace?: string
  /** Name of the workload. */
  readonly workload?: string
  /** A part of an image's name. */
  readonly image?: string
  readonly outcome: WorkloadOutcome
  /** What the containers write before they end. */
  readonly output?: string
}

export class Behavior {
  private readonly failures = new Set<WorkloadFailure>()

  add(failure: WorkloadFailure): void {
    this.failures.add(failure)
  }

  remove(failure: WorkloadFailure): void {
    this.failures.delete(failure)
  }

  clear(): void {
    this.failures.clear()
  }

  /** What happens to a Pod; undefined: it runs. */
  of(pod: KubeObject): WorkloadFailure | undefined {
    for (const f of this.failures) if (matches(f, pod)) return f
    return undefined
  }
}

function matches(f: WorkloadFailure, pod: KubeObject): boolean {
  if (f.namespace !== undefined && pod.metadata.namespace !== f.namespace) return false
  if (f.workload !== undefined && pod.metadata.annotations?.[WORKLOAD] !== f.workload) return false
  return f.image === undefined || imagesOf(pod).some((i) => i.includes(f.image!))
}

/** On simulated Pods: the name of the workload they belong to. */
export const WORKLOAD = 'world.lockstep.dev/workload'

export function imagesOf(pod: KubeObject): string[] {
  const containers = at(pod, 'spec', 'containers')
  return isArray(containers) ? containers.map((c) => String(at(c, 'image') ?? '')) : []
}
