/** What kstatus says of an object: the whole algorithm (cli-utils `pkg/kstatus/status`, `generic.go` and `core.go`). */
import {
  at,
  isArray,
  isString,
  type KubeObject,
  parseApiVersion,
  parseTimestampMs,
} from '@lockstep/kube/object'
import {
  conditionIs,
  conditionsOf,
  type Health,
  type HealthState,
  num,
  type SeenCondition,
  textOfCondition,
} from '../state/healthstate.ts'
import { SUCCEEDED } from './workloadhealth.ts'

export interface KStatus {
  readonly status: 'Current' | 'InProgress' | 'Failed' | 'Terminating'
  readonly message: string
  /** What it would set on the object: `Reconciling` or `Stalled`, or nothing. */
  readonly conditions: readonly SeenCondition[]
}

type KindStatus = (o: KubeObject, nowMs: number) => KStatus

const current = (message: string): KStatus => ({ status: 'Current', message, conditions: [] })
const inProgress = (reason: string, message: string): KStatus => ({
  status: 'InProgress',
  message,
  conditions: [{ type: 'Reconciling', status: 'True', reason, message }],
})
const failed = (reason: string, message: string): KStatus => ({
  status: 'Failed',
  message,
  conditions: [{ type: 'Stalled', status: 'True', reason, message }],
})

/** The first number that is not reached, as `Ready: 1/3`. */
function lacking(
  rows: readonly (readonly [have: number, want: number, reason: string, what: string])[],
): KStatus | undefined {
  const row = rows.find(([have, want]) => have < want)
  return row && inProgress(row[2], `${row[3]}: ${row[0]}/${row[1]}`)
}

const tooMany = (have: number, want: number): KStatus | undefined =>
  have > want ? inProgress('ExtraPods', `Pending termination: ${have - want}`) : undefined

const deployment: KindStatus = (o) => {
  const moving = conditionsOf(o).filter((c) => c.type === 'Progressing')
  const late = moving.find((c) => c.reason === 'ProgressDeadlineExceeded')
  if (late) return failed(late.reason, 'Progress deadline exceeded')
  const want = num(o, 1, 'spec', 'replicas')
  const have = num(o, 0, 'status', 'replicas')
  const updated = num(o, 0, 'status', 'updatedReplicas')
  const counts =
    lacking([
      [have, want, 'LessReplicas', 'Replicas'],
      [updated, want, 'LessUpdated', 'Updated'],
    ]) ??
    tooMany(have, want) ??
    lacking([
      [num(o, 0, 'status', 'availableReplicas'), updated, 'LessAvailable', 'Available'],
      [num(o, 0, 'status', 'readyReplicas'), want, 'LessReady', 'Ready'],
    ])
  if (counts) return counts
  // Without a deadline its controller never sets Progressing.
  const isThere =
    at(o, 'spec', 'progressDeadlineSeconds') === undefined ||
    moving.some((c) => c.status === 'True' && c.reason === 'NewReplicaSetAvailable')
  if (!isThere) return inProgress('ReplicaSetNotAvailable', 'ReplicaSet not Available')
  return conditionIs(o, 'Available', 'True')
    ? current(`Deployment is available. Replicas: ${have}`)
    : inProgress('DeploymentNotAvailable', 'Deployment not Available')
}

const statefulSet: KindStatus = (o) => {
  if (at(o, 'spec', 'updateStrategy', 'type') === 'OnDelete')
    return current('StatefulSet is using the ondelete update strategy')
  const want = num(o, 1, 'spec', 'replicas')
  const have = num(o, 0, 'status', 'replicas')
  const counts =
    lacking([
      [have, want, 'LessReplicas', 'Replicas'],
      [num(o, 0, 'status', 'readyReplicas'), want, 'LessReady', 'Ready'],
    ]) ?? tooMany(have, want)
  if (counts) return counts
  const partition = num(o, -1, 'spec', 'updateStrategy', 'rollingUpdate', 'partition')
  const updated = num(o, 0, 'status', 'updatedReplicas')
  if (partition !== -1)
    return (
      lacking([[updated, want - partition, 'PartitionRollout', 'updated']]) ??
      current(`Partition rollout complete. updated: ${updated}`)
    )
  const old = lacking([[num(o, 0, 'status', 'currentReplicas'), want, 'LessCurrent', 'current']])
  if (old) return old
  return at(o, 'status', 'currentRevision') === at(o, 'status', 'updateRevision')
    ? current(`All replicas scheduled as expected. Replicas: ${have}`)
    : inProgress('RevisionMismatch', 'Waiting for updated revision to match current')
}

const daemonSet: KindStatus = (o) => {
  // Its controller sets both: without them it has not looked yet.
  if (o.metadata.generation === undefined)
    return inProgress('NoGeneration', 'DaemonSet metadata.generation not found')
  if (typeof at(o, 'status', 'observedGeneration') !== 'number')
    return inProgress('NoObservedGeneration', 'DaemonSet status.observedGeneration not found')
  const want = num(o, -1, 'status', 'desiredNumberScheduled')
  if (want === -1) return inProgress('NoDesiredNumber', 'Missing .status.desiredNumberScheduled')
  return (
    lacking([
      [num(o, 0, 'status', 'currentNumberScheduled'), want, 'LessCurrent', 'Current'],
      [num(o, 0, 'status', 'updatedNumberScheduled'), want, 'LessUpdated', 'Updated'],
      [num(o, 0, 'status', 'numberAvailable'), want, 'LessAvailable', 'Available'],
      [num(o, 0, 'status', 'numberReady'), want, 'LessReady', 'Ready'],
    ]) ?? current(`All replicas scheduled as expected. Replicas: ${want}`)
  )
}

const replicaSet: KindStatus = (o) => {
  if (conditionIs(o, 'ReplicaFailure', 'True'))
    return inProgress('ReplicaFailure', 'Replica Failure condition. Check Pods')
  const want = num(o, 1, 'spec', 'replicas')
  const have = num(o, 0, 'status', 'replicas')
  return (
    lacking([
      [num(o, 0, 'status', 'fullyLabeledReplicas'), want, 'LessLabelled', 'Labelled'],
      [num(o, 0, 'status', 'availableReplicas'), want, 'LessAvailable', 'Available'],
      [num(o, 0, 'status', 'readyReplicas'), want, 'LessReady', 'Ready'],
    ]) ??
    tooMany(have, want) ??
    current(`ReplicaSet is available. Replicas: ${have}`)
  )
}

/** How long a Pod may be unschedulable before that is a failure (`ScheduleWindow`). */
const SCHEDULE_WINDOW_MS = 15_000

const pod: KindStatus = (o, nowMs) => {
  switch (at(o, 'status', 'phase')) {
    case 'Succeeded':
      return current('Pod has completed successfully')
    case 'Failed':
      return current('Pod has completed, but not successfully')
    case 'Running': {
      if (conditionIs(o, 'Ready', 'True')) return current('Pod is Ready')
      const looping = crashLooping(o)
      return looping.length > 0
        ? failed('ContainerCrashLooping', `Containers in CrashLoop state: ${looping.join(',')}`)
        : inProgress('PodRunningNotReady', 'Pod is running but is not Ready')
    }
    case 'Pending': {
      if (conditionIs(o, 'PodScheduled', 'False')?.reason !== 'Unschedulable')
        return inProgress('PodPending', 'Pod is in the Pending phase')
      const created = parseTimestampMs(o.metadata.creationTimestamp ?? '')
      return created !== undefined && nowMs - created < SCHEDULE_WINDOW_MS
        ? inProgress('PodNotScheduled', 'Pod has not been scheduled')
        : failed('PodUnschedulable', 'Pod could not be scheduled')
    }
    default:
      return inProgress('PodNotObserved', 'Pod phase not available')
  }
}

function crashLooping(o: KubeObject): string[] {
  const statuses = at(o, 'status', 'containerStatuses')
  return (isArray(statuses) ? statuses : [])
    .filter((s) => at(s, 'state', 'waiting', 'reason') === 'CrashLoopBackOff')
    .map((s) => at(s, 'name'))
    .filter(isString)
}

const job: KindStatus = (o) => {
  const wanted = num(o, num(o, 1, 'spec', 'parallelism'), 'spec', 'completions')
  const succeeded = num(o, 0, 'status', 'succeeded')
  const lost = num(o, 0, 'status', 'failed')
  for (const c of conditionsOf(o)) {
    if (c.status !== 'True') continue
    if (c.type === 'Complete') return current(`Job Completed. succeeded: ${succeeded}/${wanted}`)
    if (c.type === 'Failed') return failed('JobFailed', `Job Failed. failed: ${lost}/${wanted}`)
    if (c.type === 'Suspended' && at(o, 'spec', 'suspend') === true) return current('Job is suspended')
  }
  if (!at(o, 'status', 'startTime')) return inProgress('JobNotStarted', 'Job not started')
  const active = num(o, 0, 'status', 'active')
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${lost}`)
}

const persistentVolumeClaim: KindStatus = (o) => {
  const phase = at(o, 'status', 'phase')
  return phase === 'Bound'
    ? current('PVC is Bound')
    : inProgress('NotBound', `PVC is not Bound. phase: ${isString(phase) ? phase : 'unknown'}`)
}

const service: KindStatus = (o) =>
  at(o, 'spec', 'type') === 'LoadBalancer' && !at(o, 'spec', 'clusterIP')
    ? inProgress('NoIPAssigned', 'ClusterIP not set. Service type: LoadBalancer')
    : current('Service is ready')

const definition: KindStatus = (o) => {
  for (const c of conditionsOf(o)) {
    if (c.type === 'NamesAccepted' && c.status === 'False') return failed(c.reason, c.message)
    if (c.type !== 'Established') continue
    if (c.status === 'False' && c.reason !== 'Installing') return failed(c.reason, c.message)
    if (c.status === 'True') return current('CRD is established')
  }
  return inProgress('Installing', 'Install in progress')
}

const always: KindStatus = () => current('Resource is always ready')

const kinds: ReadonlyMap<string, KindStatus> = new Map([
  ['apps/Deployment', deployment],
  ['apps/StatefulSet', statefulSet],
  ['apps/DaemonSet', daemonSet],
  ['apps/ReplicaSet', replicaSet],
  ['/Pod', pod],
  ['batch/Job', job],
  ['/PersistentVolumeClaim', persistentVolumeClaim],
  ['/Service', service],
  ['apiextensions.k8s.io/CustomResourceDefinition', definition],
  ['/Secret', always],
  ['/ConfigMap', always],
  ['batch/CronJob', always],
  ['policy/PodDisruptionBudget', () => current('AllowedDisruptions has been computed.')],
])

/** kstatus of an object that exists. `nowMs` is wall-clock time: an unschedulable Pod has 15 seconds. */
export function kstatusOf(o: KubeObject, nowMs: number): KStatus {
  return kindStatus(o, nowMs).result
}

function kindStatus(o: KubeObject, nowMs: number): { readonly result: KStatus; readonly rule: string } {
  const { deletionTimestamp, generation } = o.metadata
  if (deletionTimestamp !== undefined) {
    const message = 'Resource scheduled for deletion'
    return { result: { status: 'Terminating', message, conditions: [] }, rule: 'deletionTimestamp' }
  }
  const observed = at(o, 'status', 'observedGeneration')
  if (generation !== undefined && typeof observed === 'number' && observed !== generation) {
    const message = `${o.kind} generation is ${generation}, but latest observed generation is ${observed}`
    return { result: inProgress('LatestGenerationNotObserved', message), rule: 'observedGeneration' }
  }
  for (const c of conditionsOf(o)) {
    if (c.status !== 'True') continue
    if (c.type === 'Reconciling') return { result: inProgress(c.reason, c.message), rule: 'conditions' }
    if (c.type === 'Stalled') return { result: failed(c.reason, c.message), rule: 'conditions' }
  }
  const key = `${parseApiVersion(o.apiVersion).group}/${o.kind}`
  const rule = kinds.get(key)
  if (rule) return { result: rule(o, nowMs), rule: key.replace(/^\//, 'core/') }
  const ready = conditionsOf(o).find(
    (c) => c.type === 'Ready' && ['True', 'False', 'Unknown'].includes(c.status),
  )
  if (!ready) return { result: current('Resource is current'), rule: 'existence' }
  const result =
    ready.status === 'True' ? current('Resource is Ready') : inProgress(ready.reason, ready.message)
  return { result, rule: 'conditions' }
}

const STATES: Readonly<Record<KStatus['status'], HealthState>> = {
  Current: 'Healthy',
  InProgress: 'Progressing',
  Failed: 'Degraded',
  Terminating: 'Progressing',
}

/** Health in the words of kstatus. */
export function kstatusHealth(o: KubeObject, nowMs: number): Health {
  const { result, rule } = kindStatus(o, nowMs)
  const hasSucceeded = o.kind === 'Pod' && at(o, 'status', 'phase') === 'Succeeded'
  const [why] = result.conditions
  const created = parseTimestampMs(o.metadata.creationTimestamp ?? '')
  const isUnscheduled = why?.reason === 'PodNotScheduled' && created !== undefined
  return {
    state: STATES[result.status],
    message:
      hasSucceeded && result.status === 'Current'
        ? SUCCEEDED
        : result.message || (why ? textOfCondition(why) : ''),
    rule: `kstatus ${rule}`,
    ...(isUnscheduled ? { changesInMs: created + SCHEDULE_WINDOW_MS - nowMs } : {}),
  }
}
