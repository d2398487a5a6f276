import { at, isString } from '@lockstep/kube/object'
import { conditionsOf, degraded, type HealthRule, healthy, progressing } from '../state/healthstate.ts'

const persistentVolumeClaim: HealthRule = (o) => {
  const phase = at(o, 'status', 'phase')
  if (phase === 'Bound') return healthy
  return phase === 'Lost'
    ? degraded('its volume is lost')
    : progressing(`phase ${isString(phase) ? phase : 'unknown'}`)
}

const service: HealthRule = (o) => {
  if (at(o, 'spec', 'type') !== 'LoadBalancer') return healthy
  return at(o, 'spec', 'clusterIP') ? healthy : progressing('no cluster IP yet')
}

const customResourceDefinition: HealthRule = (o) => {
  for (const c of conditionsOf(o)) {
    if (c.type === 'NamesAccepted' && c.status === 'False') return degraded(`${c.reason}: ${c.message}`)
    if (c.type === 'Established' && c.status === 'False' && c.reason !== 'Installing')
      return degraded(`${c.reason}: ${c.message}`)
    if (c.type === 'Established' && c.status === 'True') return healthy
  }
  return progressing('not established yet')
}

const namespace: HealthRule = (o) =>
  at(o, 'status', 'phase') === 'Terminating' ? progressing('is being deleted') : healthy

export const otherHealthRules: Readonly<Record<string, HealthRule>> = {
  '/PersistentVolumeClaim': persistentVolumeClaim,
  '/Service': service,
  '/Namespace': namespace,
  'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinition,
  // Their conditions, if any, say nothing about being usable.
  '/ConfigMap': () => healthy,
  '/Secret': () => healthy,
  'batch/CronJob': () => healthy,
  'policy/PodDisruptionBudget': () => healthy,
}
