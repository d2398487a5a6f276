import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import type { HealthProfile } from '../state/healthstate.ts'
import { healthOf } from './health.ts'
import { kstatusOf } from './kstatus.ts'

const object = (type: string, body: object, metadata: object = {}): KubeObject => {
  const [kind, apiVersion] = [type.slice(type.lastIndexOf('/') + 1), type.slice(0, type.lastIndexOf('/'))]
  return { apiVersion, kind, metadata: { name: 'x', generation: 1, ...metadata }, ...body } as KubeObject
}
const conditions = (...list: readonly (readonly [type: string, status: string])[]) =>
  list.map(([type, status]) => ({ type, status }))

const replicas = {
  observedGeneration: 1,
  replicas: 1,
  updatedReplicas: 1,
  readyReplicas: 1,
  availableReplicas: 1,
}
const there = { ...replicas, conditions: conditions(['Available', 'True']) }
const PROFILES: readonly HealthProfile[] = ['Lockstep', 'Argo', 'KStatus']

/** One object, and what each profile says of it. */
const rows: readonly (readonly [
  what: string,
  o: KubeObject,
  lockstep: string,
  argo: string,
  kstatus: string,
])[] = [
  [
    'a Job that was resumed and runs',
    object('batch/v1/Job', { status: { startTime: 't', conditions: conditions(['Suspended', 'False']) } }),
    'Progressing',
    'Healthy',
    'Healthy',
  ],
  [
    'a Job that runs',
    object('batch/v1/Job', { status: { startTime: 't' } }),
    'Progressing',
    'Progressing',
    'Healthy',
  ],
  [
    'a Job that failed',
    object('batch/v1/Job', { status: { conditions: conditions(['Failed', 'True']) } }),
    'Degraded',
    'Degraded',
    'Degraded',
  ],
  ['a Pod that failed', object('v1/Pod', { status: { phase: 'Failed' } }), 'Degraded', 'Degraded', 'Healthy'],
  [
    'a paused Deployment',
    object('apps/v1/Deployment', { spec: { paused: true }, status: there }),
    'Suspended',
    'Suspended',
    'Healthy',
  ],
  [
    'a Deployment that is there',
    object('apps/v1/Deployment', { spec: { replicas: 1 }, status: there }),
    'Healthy',
    'Healthy',
    'Healthy',
  ],
  [
    'a load balancer without an address',
    object('v1/Service', { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' } }),
    'Healthy',
    'Progressing',
    'Healthy',
  ],
  [
    'a lost volume',
    object('v1/PersistentVolumeClaim', { status: { phase: 'Lost' } }),
    'Degraded',
    'Degraded',
    'Progressing',
  ],
  [
    'a failing ReplicaSet',
    object('apps/v1/ReplicaSet', {
      status: { observedGeneration: 1, conditions: conditions(['ReplicaFailure', 'True']) },
    }),
    'Progressing',
    'Degraded',
    'Progressing',
  ],
  [
    'a status of an older generation',
    object('apps/v1/Deployment', { spec: { replicas: 1 }, status: there }, { generation: 2 }),
    'Progressing',
    'Progressing',
    'Progressing',
  ],
  [
    'what is being deleted',
    object('v1/ConfigMap', {}, { deletionTimestamp: 't' }),
    'Progressing',
    'Progressing',
    'Progressing',
  ],
  [
    'a Certificate that is not ready',
    object('cert-manager.io/v1/Certificate', { status: { conditions: conditions(['Ready', 'False']) } }),
    'Degraded',
    'Degraded',
    'Progressing',
  ],
  [
    'a custom resource without a status',
    object('example.com/v1/Widget', {}),
    'Healthy',
    'Healthy',
    'Healthy',
  ],
]

describe('health by profile', () => {
  it.each(rows)('%s', (_, o, ...states) => {
    expect(PROFILES.map((p) => healthOf(o, 0, undefined, p).state)).toEqual(states)
  })
  it('says whose rule it is', () => {
    const o = object('apps/v1/Deployment', { spec: { replicas: 1 }, status: there })
    expect(PROFILES.map((p) => healthOf(o, 0, undefined, p).rule)).toEqual([
      'apps/Deployment',
      'argo apps/Deployment',
      'kstatus apps/Deployment',
    ])
  })
  it('tells a Job that is done from one that others are content with', () => {
    const of = (type: string) =>
      object('batch/v1/Job', { status: { startTime: 't', conditions: conditions([type, 'True']) } })
    const unfinished = (o: KubeObject) => PROFILES.map((p) => healthOf(o, 0, undefined, p).unfinished)
    expect(unfinished(of('Complete'))).toEqual([undefined, undefined, undefined])
    expect(unfinished(of('SuccessCriteriaMet'))).toEqual([undefined, undefined, true])
  })
})

describe('a condition with a severity', () => {
  it.each([
    ['Info', 'Progressing'],
    ['Warning', 'Progressing'],
    ['Error', 'Degraded'],
  ])('%s is %s', (severity, state) => {
    const status = { conditions: [{ type: 'Ready', status: 'False', reason: 'Conflict', severity }] }
    expect(healthOf(object('resources.azure.com/v1/ResourceGroup', { status }), 0).state).toBe(state)
  })
})

describe('Argo CD of Pods', () => {
  const pod = (restartPolicy: string, phase: string, reason?: string) =>
    object('v1/Pod', {
      spec: { restartPolicy },
      status: { phase, containerStatuses: [{ state: reason ? { waiting: { reason } } : {} }] },
    })
  it.each([
    ['Always', 'Pending', 'ErrImagePull', 'Degraded'],
    ['Always', 'Running', 'CrashLoopBackOff', 'Degraded'],
    ['Always', 'Pending', 'ContainerCreating', 'Progressing'],
    ['Never', 'Pending', 'ImagePullBackOff', 'Progressing'],
    ['OnFailure', 'Running', undefined, 'Progressing'],
    ['Never', 'Succeeded', undefined, 'Healthy'],
    ['Never', 'Failed', undefined, 'Degraded'],
  ])('%s %s %s is %s', (policy, phase, reason, state) => {
    expect(healthOf(pod(policy, phase, reason), 0, undefined, 'Argo').state).toBe(state)
  })
})

describe('kstatus', () => {
  it('sets a condition with the reason', () => {
    const o = object('apps/v1/StatefulSet', {
      spec: { replicas: 3 },
      status: { replicas: 3, readyReplicas: 1 },
    })
    expect(kstatusOf(o, 0)).toEqual({
      status: 'InProgress',
      message: 'Ready: 1/3',
      conditions: [{ type: 'Reconciling', status: 'True', reason: 'LessReady', message: 'Ready: 1/3' }],
    })
  })
  it('gives a Pod 15 seconds to be scheduled', () => {
    const at = '2026-01-01T00:00:00Z'
    const status = {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    }
    const o = object('v1/Pod', { status }, { creationTimestamp: at })
    expect(kstatusOf(o, Date.parse(at) + 14_999).status).toBe('InProgress')
    expect(kstatusOf(o, Date.parse(at) + 15_000).status).toBe('Failed')
    expect(kstatusOf(object('v1/Pod', { status }), 0).status).toBe('Failed')
  })
})
