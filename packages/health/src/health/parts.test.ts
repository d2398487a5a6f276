/** Objects of which only a part is as it should be: parents of a route, replicas behind a partition. */
import { expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { healthOf } from './health.ts'

type Row = readonly [type: string, kind: string, body: object, state: string, message: string]

const accepted = { conditions: [{ type: 'Accepted', status: 'True' }] }

const rows: readonly Row[] = [
  ...(
    [
      [['a'], 'Progressing', 'Waiting for Parent b to update HTTPRoute status'],
      [['a', 'b'], 'Healthy', 'HTTPRoute is healthy'],
    ] as const
  ).map(([reported, state, message]): Row => {
    const parents = reported.map((name) => ({ parentRef: { name }, ...accepted }))
    const spec = { parentRefs: [{ name: 'a' }, { name: 'b' }] }
    return ['gateway.networking.k8s.io/v1', 'HTTPRoute', { spec, status: { parents } }, state, message]
  }),
  [
    'gateway.networking.k8s.io/v1',
    'HTTPRoute',
    {
      spec: { parentRefs: ['x', 'y'].map((sectionName) => ({ name: 'a', sectionName })) },
      status: { parents: [{ parentRef: { name: 'a' }, ...accepted }] },
    },
    'Progressing',
    'Waiting for all parents to update HTTPRoute status',
  ],
  [
    'gateway.networking.k8s.io/v1',
    'BackendTLSPolicy',
    { status: { ancestors: [{ ancestorRef: { name: 'a' }, conditions: [] }] } },
    'Progressing',
    'Waiting for Ancestor a to update BackendTLSPolicy status',
  ],
  [
    'apps.kruise.io/v1alpha1',
    'CloneSet',
    {
      spec: { replicas: 5, updateStrategy: { partition: '60%' } },
      status: { expectedUpdatedReplicas: 2, updatedAvailableReplicas: 2, readyReplicas: 5 },
    },
    'Healthy',
    'All that the partition of Cloneset lets be updated is',
  ],
  [
    'apps.kruise.io/v1beta1',
    'StatefulSet',
    {
      spec: { replicas: 5, updateStrategy: { rollingUpdate: { partition: 3 } } },
      status: { updatedAvailableReplicas: 1, readyReplicas: 5 },
    },
    'Suspended',
    'Statefulset needs manual intervention',
  ],
  [
    'apps.kruise.io/v1beta1',
    'StatefulSet',
    {
      spec: { replicas: 5, updateStrategy: { rollingUpdate: { partition: 3 } } },
      status: { updatedAvailableReplicas: 2, readyReplicas: 5 },
    },
    'Healthy',
    'All that the partition of Statefulset lets be updated is',
  ],
  [
    'game.kruise.io/v1alpha1',
    'GameServerSet',
    {
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
      status: { updatedReadyReplicas: 2, readyReplicas: 3 },
    },
    'Healthy',
    'All that the partition of the GameServerSet lets be updated is',
  ],
  [
    'apps.kruise.io/v1alpha1',
    'DaemonSet',
    { status: { observedGeneration: 1, desiredNumberScheduled: 0 } },
    'Healthy',
    'No node is to have a Pod of it',
  ],
]

it.each(rows)('%s %s %j is %s: %s', (apiVersion, kind, body, state, message) => {
  const o = { apiVersion, kind, metadata: { name: 'x' }, ...body } as KubeObject
  expect(healthOf(o, 0)).toMatchObject({ state, message })
})
