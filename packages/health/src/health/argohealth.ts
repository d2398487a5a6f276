/**
 * Kinds of Kubernetes as Argo CD reads them (gitops-engine `pkg/health`, as its documentation describes it): where this is
 * not how kstatus reads them. Kinds that are not here have no check there, and count as healthy.
 */
import { at, isArray, isString, type JsonValue, type KubeObject, parseJson } from '@lockstep/kube/object'
import {
  conditionIs,
  conditionsOf,
  degraded,
  type Health,
  type HealthRule,
  healthy,
  num,
  progressing,
  type SeenCondition,
  suspended,
} from '../state/healthstate.ts'
import { SUCCEEDED, waitingReason } from './workloadhealth.ts'

const isBehind = (o: KubeObject): boolean =>
  (o.metadata.generation ?? 0) > num(o, 0, 'status', 'observedGeneration')

const behind = progressing('its controller has not seen its last change yet')

const deployment: HealthRule = (o) => {
  if (at(o, 'spec', 'paused') === true) return suspended('spec.paused is true')
  if (isBehind(o)) return behind
  const moving = conditionsOf(o).find((c) => c.type === 'Progressing')
  if (moving?.reason === 'ProgressDeadlineExceeded') return degraded(moving.message || moving.reason)
  const want = num(o, 0, 'spec', 'replicas')
  const updated = num(o, 0, 'status', 'updatedReplicas')
  const have = num(o, 0, 'status', 'replicas')
  const available = num(o, 0, 'status', 'availableReplicas')
  if (updated < want) return progressing(`${updated} of ${want} replicas updated`)
  if (have > updated) return progressing(`${have - updated} old replicas still there`)
  return available < updated ? progressing(`${available} of ${updated} replicas available`) : healthy
}

const statefulSet: HealthRule = (o) => {
  if (num(o, 0, 'status', 'observedGeneration') === 0 || isBehind(o)) return behind
  const want = num(o, 0, 'spec', 'replicas')
  const ready = num(o, 0, 'status', 'readyReplicas')
  if (ready < want) return progressing(`${ready} of ${want} replicas ready`)
  const strategy = at(o, 'spec', 'updateStrategy')
  if (at(strategy, 'type') === 'OnDelete') return healthy
  if (at(strategy, 'rollingUpdate')) {
    const updated = num(o, 0, 'status', 'updatedReplicas')
    const goal = want - num(o, 0, 'spec', 'updateStrategy', 'rollingUpdate', 'partition')
    return updated < goal ? progressing(`${updated} of ${goal} replicas updated`) : healthy
  }
  const isOneRevision = at(o, 'status', 'currentRevision') === at(o, 'status', 'updateRevision')
  return isOneRevision ? healthy : progressing('waiting for the update revision')
}

const daemonSet: HealthRule = (o) => {
  if (isBehind(o)) return behind
  if (at(o, 'spec', 'updateStrategy', 'type') === 'OnDelete') return healthy
  const want = num(o, 0, 'status', 'desiredNumberScheduled')
  const updated = num(o, 0, 'status', 'updatedNumberScheduled')
  const available = num(o, 0, 'status', 'numberAvailable')
  if (updated < want) return progressing(`${updated} of ${want} pods updated`)
  return available < want ? progressing(`${available} of ${want} pods available`) : healthy
}

const replicaSet: HealthRule = (o) => {
  if (isBehind(o)) return behind
  const failure = conditionIs(o, 'ReplicaFailure', 'True')
  if (failure) return degraded(failure.message || failure.reason)
  const want = num(o, 0, 'spec', 'replicas')
  const available = num(o, 0, 'status', 'availableReplicas')
  return available < want ? progressing(`${available} of ${want} replicas available`) : healthy
}

/** Restarted for ever, a container that cannot run is broken; else the Pod ends, and says how. */
const pod: HealthRule = (o) => {
  const isEndless =
    (at(o, 'spec', 'restartPolicy') ?? 'Always') === 'Always' ||
    o.metadata.annotations?.['argocd.argoproj.io/ignore-restart-policy'] === 'true'
  const waiting = waitingReason(o)
  const isBroken = /^(Err|\S*(Error|BackOff)(:|$))/.test(waiting ?? '')
  if (isEndless && isBroken) return degraded(waiting!)
  switch (at(o, 'status', 'phase')) {
    case 'Pending':
      return progressing(waiting ?? 'pending')
    case 'Succeeded':
      return { state: 'Healthy', message: SUCCEEDED }
    case 'Failed':
      return degraded([at(o, 'status', 'message'), at(o, 'status', 'reason')].find(isString) ?? 'failed')
    case 'Running':
      if (!isEndless) return progressing('running')
      if (conditionIs(o, 'Ready', 'True')) return healthy
      // What has ended before does so again.
      return hasEnded(o) ? degraded('a container has ended') : progressing('not ready yet')
    default:
      return { state: 'Unknown', message: 'no phase' }
  }
}

function hasEnded(o: KubeObject): boolean {
  const statuses = at(o, 'status', 'containerStatuses')
  return (isArray(statuses) ? statuses : []).some((s) => at(s, 'lastState', 'terminated'))
}

const hasAddress = (o: KubeObject): boolean => {
  const found = at(o, 'status', 'loadBalancer', 'ingress')
  return isArray(found) && found.length > 0
}

const service: HealthRule = (o) =>
  at(o, 'spec', 'type') !== 'LoadBalancer' || hasAddress(o) ? healthy : progressing('no address yet')

const ingress: HealthRule = (o) => (hasAddress(o) ? healthy : progressing('no address yet'))

const claim: HealthRule = (o) => {
  const phase = at(o, 'status', 'phase')
  if (phase === 'Bound') return healthy
  if (phase === 'Lost') return degraded('its volume is lost')
  return phase === 'Pending' ? progressing('phase Pending') : { state: 'Unknown', message: 'no phase' }
}

/** A condition `Suspended` of any status ends the wait, so that a Job that was resumed is healthy while it runs. */
const job: HealthRule = (o) => {
  const seen = conditionsOf(o).filter(
    (c) => c.type === 'Suspended' || (['Complete', 'Failed'].includes(c.type) && c.status === 'True'),
  )
  if (seen.length === 0) return progressing('running')
  const failed = seen.find((c) => c.type === 'Failed')
  if (failed) return degraded(failed.message || failed.reason)
  const paused = seen.find((c) => c.type === 'Suspended' && c.status === 'True')
  return paused ? suspended(paused.message || paused.reason) : healthy
}

const autoscaler: HealthRule = (o) => {
  const conditions = [...conditionsOf(o), ...annotated(o)]
  const bad = conditions.find((c) => c.status === 'False' && isBadScaling(c))
  if (bad) return degraded(bad.message || bad.reason)
  const good = conditions.find(
    (c) => (c.type === 'AbleToScale' || c.type === 'ScalingLimited') && c.status === 'True',
  )
  return good ? { state: 'Healthy', message: good.message } : progressing('waits to scale')
}

const isBadScaling = ({ type, reason }: SeenCondition): boolean =>
  (type === 'AbleToScale' && /^Failed(GetScale|UpdateScale)$/.test(reason)) ||
  (type === 'ScalingActive' && /^(Failed|Invalid)/.test(reason))

/** autoscaling/v1 has its conditions in an annotation, as JSON. */
function annotated(o: KubeObject): SeenCondition[] {
  const text = o.metadata.annotations?.['autoscaling.alpha.kubernetes.io/conditions']
  if (!isString(text)) return []
  let conditions: JsonValue
  try {
    conditions = parseJson(text)
  } catch {
    return []
  }
  return conditionsOf({ ...o, status: { conditions } } as KubeObject)
}

const apiService: HealthRule = (o) => {
  const available = conditionsOf(o).find((c) => c.type === 'Available')
  if (!available) return progressing('not checked yet')
  const text = [available.reason, available.message].filter(Boolean).join(': ')
  return available.status === 'True' ? { state: 'Healthy', message: text } : progressing(text)
}

const rules: ReadonlyMap<string, HealthRule> = new Map([
  ['apps/Deployment', deployment],
  ['apps/StatefulSet', statefulSet],
  ['apps/DaemonSet', daemonSet],
  ['apps/ReplicaSet', replicaSet],
  ['/Pod', pod],
  ['/Service', service],
  ['networking.k8s.io/Ingress', ingress],
  ['extensions/Ingress', ingress],
  ['/PersistentVolumeClaim', claim],
  ['batch/Job', job],
  ['autoscaling/HorizontalPodAutoscaler', autoscaler],
  ['apiregistration.k8s.io/APIService', apiService],
])

/** What the check of the kind says, if there is one. `key` is `group/Kind`. */
export function argoHealth(o: KubeObject, key: string, nowMs: number): Health | undefined {
  const found = rules.get(key)?.(o, nowMs)
  return found && { ...found, rule: `argo ${key.replace(/^\//, 'core/')}` }
}
