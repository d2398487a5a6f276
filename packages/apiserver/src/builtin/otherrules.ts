import { at, type JsonObject, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { ensure, fill, items, within } from '../resources/objectdraft.ts'
import { forbidden } from '../schema/invalidfield.ts'
import { defaultPod, qosClass } from './defaultpod.ts'
import type { SpecialRules } from './specialrules.ts'

const specChanged = (next: KubeObject, old: KubeObject): boolean => !jsonEqual(next.spec, old.spec)
const contentChanged = (
  { metadata: _a, ...next }: KubeObject,
  { metadata: _b, ...old }: KubeObject,
): boolean => !jsonEqual(next, old)
const text =
  (...path: string[]) =>
  (o: KubeObject): string =>
    String(at(o, ...path) ?? '')

const pod: SpecialRules = {
  generation: specChanged,
  returnsDeleted: true,
  defaults: defaultPod,
  prepareCreate(o) {
    o.status = { phase: 'Pending', qosClass: qosClass(within(o, 'spec')) }
  },
  // A pod that no node has taken has nothing to end.
  grace: (o) =>
    at(o, 'spec', 'nodeName') ? Number(at(o, 'spec', 'terminationGracePeriodSeconds') ?? 30) : 0,
  fields: {
    'spec.nodeName': text('spec', 'nodeName'),
    'spec.restartPolicy': text('spec', 'restartPolicy'),
    'spec.schedulerName': text('spec', 'schedulerName'),
    'spec.serviceAccountName': text('spec', 'serviceAccountName'),
    'spec.hostNetwork': (o) => String(at(o, 'spec', 'hostNetwork') ?? false),
    'status.phase': text('status', 'phase'),
    'status.podIP': text('status', 'podIP'),
    'status.nominatedNodeName': text('status', 'nominatedNodeName'),
  },
}

function defaultWebhook(w: ObjectDraft, isMutating: boolean): void {
  fill(w, {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...(isMutating ? { reinvocationPolicy: 'Never' } : {}),
  })
  for (const r of items(w, 'rules')) fill(r, { scope: '*' })
  fill(within(w, 'clientConfig', 'service'), { port: 443 })
}

/** Kinds that are kept for others to read and that this version does not act upon. */
const inert =
  (what: string): SpecialRules['warnings'] =>
  (_, old) =>
    old ? [] : [`${what} by this version of the embedded API`]

const webhooks = (isMutating: boolean): SpecialRules => ({
  generation: contentChanged,
  warnings: inert('admission webhooks are stored but not called'),
  defaults(o) {
    for (const w of items(o, 'webhooks')) defaultWebhook(w, isMutating)
  },
})

const claim: SpecialRules = {
  returnsDeleted: true,
  defaults(o) {
    fill(ensure(o, 'spec'), { volumeMode: 'Filesystem' })
  },
  prepareCreate(o) {
    o.status = { phase: 'Pending' }
  },
  validate(next, old) {
    if (!old || jsonEqual(fixedOfClaim(next, next), fixedOfClaim(old, next))) return []
    const says =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    return [forbidden('spec', says)]
  },
}

/** What of a claim stays as it was created; its volume is named once (kubernetes pkg/apis/core/validation). */
function fixedOfClaim(o: KubeObject, next: KubeObject): JsonObject {
  const { volumeAttributesClassName: _, ...spec } = (o.spec ?? {}) as JsonObject
  const resources = (spec.resources ?? {}) as JsonObject
  const volumeName = spec.volumeName ?? at(next, 'spec', 'volumeName')
  return { ...spec, ...(volumeName ? { volumeName } : {}), resources: { ...resources, requests: {} } }
}

const autoscaler: SpecialRules = {
  defaults(o) {
    const spec = ensure(o, 'spec')
    fill(spec, { minReplicas: 1 })
    if (items(spec, 'metrics').length === 0)
      spec.metrics = [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ]
  },
}

const driver: SpecialRules = {
  defaults(o) {
    fill(ensure(o, 'spec'), {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
      requiresRepublish: false,
      seLinuxMount: false,
    })
  },
}

const networkPolicy: SpecialRules = {
  generation: specChanged,
  defaults(o) {
    const spec = ensure(o, 'spec')
    for (const r of [...items(spec, 'ingress'), ...items(spec, 'egress')])
      for (const p of items(r, 'ports')) fill(p, { protocol: 'TCP' })
    const egress = Array.isArray(spec.egress) && spec.egress.length > 0
    fill(spec, { policyTypes: egress ? ['Ingress', 'Egress'] : ['Ingress'] })
  },
}

/** Kinds around pods, storage, network, admission (their `defaults.go` and strategies in kubernetes `pkg`). */
export const otherRules: Readonly<Record<string, SpecialRules>> = {
  Pod: pod,
  PodTemplate: { returnsDeleted: true },
  PersistentVolumeClaim: claim,
  PersistentVolume: {
    returnsDeleted: true,
    defaults: (o) =>
      fill(ensure(o, 'spec'), { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
    prepareCreate(o) {
      o.status = { phase: 'Pending' }
    },
  },
  ResourceQuota: {
    returnsDeleted: true,
    createOnUpdate: true,
    warnings: inert('resource quotas are stored but not enforced'),
  },
  LimitRange: { createOnUpdate: true, warnings: inert('limit ranges are stored but not enforced') },
  Node: { fields: { 'spec.unschedulable': (o) => String(at(o, 'spec', 'unschedulable') ?? false) } },
  'Lease.coordination.k8s.io': { createOnUpdate: true },
  'StorageClass.storage.k8s.io': {
    defaults: (o) => fill(o, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  },
  'CSIDriver.storage.k8s.io': driver,
  'PriorityClass.scheduling.k8s.io': {
    defaults: (o) => fill(o, { preemptionPolicy: 'PreemptLowerPriority' }),
  },
  'HorizontalPodAutoscaler.autoscaling': autoscaler,
  'PodDisruptionBudget.policy': { generation: specChanged },
  'Ingress.networking.k8s.io': { generation: specChanged },
  'IngressClass.networking.k8s.io': { generation: specChanged },
  'NetworkPolicy.networking.k8s.io': networkPolicy,
  'APIService.apiregistration.k8s.io': {
    defaults: (o) => fill(within(o, 'spec', 'service'), { port: 443 }),
    warnings: inert('API services are stored but not proxied'),
  },
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': webhooks(true),
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': webhooks(false),
  'FlowSchema.flowcontrol.apiserver.k8s.io': {
    generation: specChanged,
    defaults: (o) => fill(within(o, 'spec'), { matchingPrecedence: 1000 }),
  },
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': { generation: specChanged },
}
