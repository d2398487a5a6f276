/** Large bundles, for tests of edges and of time. */
import { manifest } from '../../../../../test/order.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { buildOrder } from './buildorder.ts'
import type { OrderGraph } from './ordergraph.ts'

export const WAVE = 'argocd.argoproj.io/sync-wave'
export const STEP = 'lockstep.dev/step'

/** Nine objects of an application, in one wave or step, in one of 50 namespaces. */
function application(i: number, waves: number, key: string): KubeObject[] {
  const ns = `ns-${i % 50}`
  const notes = waves === 0 ? undefined : { [key]: String(i % waves) }
  const app = { app: `app-${i}` }
  const containers = [{ envFrom: [{ configMapRef: { name: `c-${i}` } }, { secretRef: { name: `s-${i}` } }] }]
  const volumes = [{ persistentVolumeClaim: { claimName: `p-${i}` } }]
  const podSpec = { serviceAccountName: `a-${i}`, containers, volumes }
  const backend = { service: { name: `svc-${i}` } }
  return [
    manifest(`v1 ServiceAccount ${ns}/a-${i}`, notes),
    manifest(`rbac.authorization.k8s.io/v1 RoleBinding ${ns}/b-${i}`, notes, {
      roleRef: { kind: 'Role', name: `r-${i}` },
      subjects: [{ kind: 'ServiceAccount', name: `a-${i}` }],
    }),
    manifest(`rbac.authorization.k8s.io/v1 Role ${ns}/r-${i}`, notes),
    manifest(`v1 ConfigMap ${ns}/c-${i}`, notes),
    manifest(`v1 Secret ${ns}/s-${i}`, notes),
    manifest(`v1 PersistentVolumeClaim ${ns}/p-${i}`, notes),
    manifest(`v1 Service ${ns}/svc-${i}`, notes, { spec: { selector: app } }),
    manifest(`apps/v1 Deployment ${ns}/d-${i}`, notes, {
      spec: { template: { metadata: { labels: app }, spec: podSpec } },
    }),
    manifest(`networking.k8s.io/v1 Ingress ${ns}/i-${i}`, notes, { spec: { defaultBackend: backend } }),
  ]
}

export function bundle(applications: number, waves: number, key = WAVE): KubeObject[] {
  const namespaces = Array.from({ length: 50 }, (_, i) => manifest(`v1 Namespace ns-${i}`))
  return [...namespaces, ...Array.from({ length: applications }, (_, i) => application(i, waves, key)).flat()]
}

export const graphOf = (objects: readonly KubeObject[]): OrderGraph => {
  const order = buildOrder(objects)
  if (!order.ok) throw new Error(order.error.message)
  return order.value
}

/** The whole bundle, and one webhook that every object of it should wait for, whose own Service is among them. */
export function webhookBundle(): KubeObject[] {
  const rules = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }
  const service = { namespace: 'ns-7', name: 'svc-7' }
  const webhook = manifest('admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration all', undefined, {
    webhooks: [{ clientConfig: { service }, rules: [rules] }],
  })
  return [...bundle(550, 0), webhook]
}

/** A cycle of 5,000 objects and a cycle of two. */
export function cyclicBundle(): KubeObject[] {
  const objects = bundle(550, 0).map((o, i) => {
    const next = `/namespaces/x/ConfigMap/n-${(i + 1) % 5000}`
    return manifest(`v1 ConfigMap x/n-${i}`, { 'lockstep.dev/depends-on': next, ...o.metadata.annotations })
  })
  const pair = [
    manifest('v1 ConfigMap y/a', { 'lockstep.dev/depends-on': '/namespaces/y/ConfigMap/b' }),
    manifest('v1 ConfigMap y/b', { 'lockstep.dev/depends-on': '/namespaces/y/ConfigMap/a' }),
  ]
  return [...objects, ...pair]
}

export const SHORT_CYCLE = ': ConfigMap y/a -(lockstep.dev/depends-on, Healthy)-> ConfigMap y/b'
