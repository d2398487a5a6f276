/** `updateStrategy: OnDelete` waits for a person: at rest an object is healthy, whatever template its Pods have. */
import { expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { healthOf } from './health.ts'

const OLD = '3 of 5 Pods run an older template; OnDelete: delete them to update'
const SET = { observedGeneration: 2, replicas: 5, readyReplicas: 5, availableReplicas: 5 }
const DAEMONS = {
  observedGeneration: 2,
  desiredNumberScheduled: 5,
  currentNumberScheduled: 5,
  numberAvailable: 5,
  numberReady: 5,
}

it.each([
  ['StatefulSet', { ...SET, updatedReplicas: 2, currentRevision: 'a', updateRevision: 'b' }, 'Healthy', OLD],
  ['StatefulSet', { ...SET, updatedReplicas: 5 }, 'Healthy', ''],
  ['StatefulSet', { ...SET, readyReplicas: 4, updatedReplicas: 2 }, 'Progressing', '4 of 5 replicas ready'],
  ['StatefulSet', { ...SET, replicas: 3, readyReplicas: 3 }, 'Progressing', '3 of 5 replicas created'],
  ['StatefulSet', { ...SET, observedGeneration: 1, updatedReplicas: 5 }, 'Progressing', /generation/],
  ['DaemonSet', { ...DAEMONS, updatedNumberScheduled: 2 }, 'Healthy', OLD],
  ['DaemonSet', { ...DAEMONS, updatedNumberScheduled: 5 }, 'Healthy', ''],
  [
    'DaemonSet',
    { ...DAEMONS, updatedNumberScheduled: 2, numberReady: 4 },
    'Progressing',
    '4 of 5 pods ready',
  ],
  ['DaemonSet', { ...DAEMONS, currentNumberScheduled: 4 }, 'Progressing', '4 of 5 pods scheduled'],
])('%s %j is %s: %s', (kind, status, state, message) => {
  const o = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'x', generation: 2 },
    spec: { replicas: 5, updateStrategy: { type: 'OnDelete' } },
    status,
  } as unknown as KubeObject
  const found = healthOf(o, 0, undefined, 'Lockstep')
  expect(found.state).toBe(state)
  expect(found.message).toMatch(message === '' ? /^$/ : message)
})
