import { at, isArray, isString, type KubeObject, parseTimestampMs } from '@lockstep/kube/object'
import {
  conditionIs,
  conditionsOf,
  degraded,
  type Health,
  type HealthRule,
  healthy,
  num,
  progressing,
} from '../state/healthstate.ts'

/** The first pair that falls short, as `2 of 3 updated`. */
function shortOf(
  checks: readonly (readonly [have: number, want: number, what: string])[],
): Health | undefined {
  const lacking = checks.find(([have, want]) => have < want)
  return lacking && progressing(`${lacking[0]} of ${lacking[1]} ${lacking[2]}`)
}

const deployment: HealthRule = (o) => {
  if (at(o, 'spec', 'paused') === true) return { state: 'Suspended', message: 'spec.paused is true' }
  const moving = conditionsOf(o).find((c) => c.type === 'Progressing')
  if (moving?.reason === 'ProgressDeadlineExceeded') return degraded(moving.message || moving.reason)
  const want = num(o, 1, 'spec', 'replicas')
  const have = num(o, 0, 'status', 'replicas')
  const updated = num(o, 0, 'status', 'updatedReplicas')
  const available = num(o, 0, 'status', 'availableReplicas')
  const early = shortOf([
    [have, want, 'replicas created'],
    [updated, want, 'replicas updated'],
  ])
  if (early) return early
  if (have > want) return progressing(`${have - want} old replicas still there`)
  const late = shortOf([
    [available, updated, 'replicas available'],
    [num(o, 0, 'status', 'readyReplicas'), want, 'replicas ready'],
  ])
  if (late) return late
  const hasDeadline = at(o, 'spec', 'progressDeadlineSeconds') !== undefined
  if (hasDeadline && !(moving?.status === 'True' && moving.reason === 'NewReplicaSetAvailable')) {
    return progressing(moving?.message || 'the new replica set is not available yet')
  }
  return conditionIs(o, 'Available', 'True') ? healthy : progressing('not available yet')
}

/** Pods of an older template stay until they are deleted by hand: they count for availability, not for progress. */
const isOnDelete = (o: KubeObject): boolean => at(o, 'spec', 'updateStrategy', 'type') === 'OnDelete'

function healthyOnDelete(updated: number, want: number): Health {
  const old = want - updated
  if (old <= 0) return healthy
  return {
    ...healthy,
    message: `${old} of ${want} Pods run an older template; OnDelete: delete them to update`,
  }
}

const statefulSet: HealthRule = (o) => {
  const want = num(o, 1, 'spec', 'replicas')
  const have = num(o, 0, 'status', 'replicas')
  const counts = shortOf([
    [have, want, 'replicas created'],
    [num(o, 0, 'status', 'readyReplicas'), want, 'replicas ready'],
  ])
  if (counts) return counts
  if (have > want) return progressing(`${have - want} replicas too many still there`)
  if (isOnDelete(o)) return healthyOnDelete(num(o, 0, 'status', 'updatedReplicas'), want)
  const partition = at(o, 'spec', 'updateStrategy', 'rollingUpdate', 'partition')
  if (typeof partition === 'number' && partition > 0) {
    return (
      shortOf([
        [num(o, 0, 'status', 'updatedReplicas'), want - partition, 'replicas updated (partitioned)'],
      ]) ?? healthy
    )
  }
  const current = shortOf([[num(o, 0, 'status', 'currentReplicas'), want, 'replicas current']])
  if (current) return current
  const isOneRevision = at(o, 'status', 'currentRevision') === at(o, 'status', 'updateRevision')
  return isOneRevision ? healthy : progressing('waiting for the update revision')
}

const daemonSet: HealthRule = (o) => {
  if (o.metadata.generation === undefined || at(o, 'status', 'observedGeneration') === undefined)
    return progressing('not observed yet')
  const want = at(o, 'status', 'desiredNumberScheduled')
  if (typeof want !== 'number') return progressing('not scheduled yet')
  const updated = num(o, 0, 'status', 'updatedNumberScheduled')
  const lacking = shortOf([
    [num(o, 0, 'status', 'currentNumberScheduled'), want, 'pods scheduled'],
    ...(isOnDelete(o) ? [] : ([[updated, want, 'pods updated']] as const)),
    [num(o, 0, 'status', 'numberAvailable'), want, 'pods available'],
    [num(o, 0, 'status', 'numberReady'), want, 'pods ready'],
  ])
  return lacking ?? (isOnDelete(o) ? healthyOnDelete(updated, want) : healthy)
}

const replicaSet: HealthRule = (o) => {
  const failure = conditionIs(o, 'ReplicaFailure', 'True')
  if (failure) return progressing(failure.message || 'replica failure')
  const want = num(o, 1, 'spec', 'replicas')
  const lacking = shortOf([
    [num(o, 0, 'status', 'fullyLabeledReplicas'), want, 'replicas labelled'],
    [num(o, 0, 'status', 'availableReplicas'), want, 'replicas available'],
    [num(o, 0, 'status', 'readyReplicas'), want, 'replicas ready'],
  ])
  if (lacking) return lacking
  const have = num(o, 0, 'status', 'replicas')
  return have > want ? progressing(`${have - want} replicas too many still there`) : healthy
}

/** kstatus calls a started Job current; what depends on it needs its result (kustomize-controller #553). */
const job: HealthRule = (o) => {
  if (conditionIs(o, 'Complete', 'True')) return healthy
  const failed = conditionIs(o, 'Failed', 'True')
  if (failed) return degraded([failed.reason, failed.message].filter(Boolean).join(': ') || 'failed')
  if (at(o, 'spec', 'suspend') === true) return { state: 'Suspended', message: 'spec.suspend is true' }
  return progressing(at(o, 'status', 'startTime') === undefined ? 'not started yet' : 'running')
}

/** Tells a Pod that ended well from one that runs. */
export const SUCCEEDED = 'succeeded'

/** How long a Pod may be unschedulable before that is a failure (kstatus `ScheduleWindow`). */
const SCHEDULE_WINDOW_MS = 15_000

/** kstatus calls a failed Pod current (cli-utils #350); here it is Degraded. */
const pod: HealthRule = (o, nowMs) => {
  const waiting = waitingReason(o)
  switch (at(o, 'status', 'phase')) {
    case 'Succeeded':
      return { state: 'Healthy', message: SUCCEEDED }
    case 'Failed':
      return degraded([at(o, 'status', 'reason'), at(o, 'status', 'message')].find(isString) ?? 'failed')
    case 'Running':
      if (conditionIs(o, 'Ready', 'True')) return healthy
      return waiting?.startsWith('CrashLoopBackOff')
        ? degraded(waiting)
        : progressing(waiting ?? 'not ready yet')
    case 'Pending': {
      const unschedulable = conditionsOf(o).find(
        (c) => c.type === 'PodScheduled' && c.status === 'False' && c.reason === 'Unschedulable',
      )
      if (!unschedulable) return progressing(waiting ?? 'pending')
      const created = parseTimestampMs(o.metadata.creationTimestamp ?? '')
      if (created === undefined) return progressing('unschedulable')
      const changesInMs = created + SCHEDULE_WINDOW_MS - nowMs
      return changesInMs > 0
        ? { ...progressing('unschedulable'), changesInMs }
        : degraded(unschedulable.message || 'unschedulable')
    }
    default:
      return progressing('no phase yet')
  }
}

/** Why a container waits: `ImagePullBackOff: …`; the first one found. */
export function waitingReason(pod: KubeObject): string | undefined {
  for (const list of ['initContainerStatuses', 'containerStatuses']) {
    const statuses = at(pod, 'status', list)
    for (const s of isArray(statuses) ? statuses : []) {
      const reason = at(s, 'state', 'waiting', 'reason')
      const message = at(s, 'state', 'waiting', 'message')
      if (typeof reason === 'string' && reason !== '')
        return typeof message === 'string' && message ? `${reason}: ${message}` : reason
    }
  }
  return undefined
}

export const workloadHealthRules: Readonly<Record<string, HealthRule>> = {
  'apps/Deployment': deployment,
  'apps/StatefulSet': statefulSet,
  'apps/DaemonSet': daemonSet,
  'apps/ReplicaSet': replicaSet,
  'batch/Job': job,
  '/Pod': pod,
}
