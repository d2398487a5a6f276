import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type { ClusterResourceSet } from '../../../api/kinds/clusterresourceset/columns.ts'
import { CAPI_PAUSED, SET } from '../../../api/kinds/clusterresourceset/spec.ts'
import { handbackStateOf, isHeld, lacksBack, leftAfter } from './handbackstate.ts'

const set = (
  annotations: Record<string, string>,
  conditions: readonly (readonly [type: string, status: string])[] = [],
  strategy = 'Reconcile',
) =>
  ({
    metadata: { name: 'shop', annotations },
    spec: { strategy, clusterSelector: {} },
    status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
  }) as unknown as Stored<ClusterResourceSet>
const V = 'v1beta2'
const OURS = { [SET.managed]: 'true', [CAPI_PAUSED]: 'lockstep' }

describe('whether there is anything to give back', () => {
  it.each([
    [set(OURS), false, 'Ours'],
    // Taken off already, and not followed yet.
    [set({ [CAPI_PAUSED]: 'lockstep' }), false, 'Ours'],
    [set({}, [['lockstep.dev/Managed', 'False']]), false, 'Ours'],
    [set({ [CAPI_PAUSED]: 'true' }), false, 'NotManaged'],
    [set({}), false, 'NotManaged'],
    [set(OURS, [], 'Continuous'), false, 'Refused'],
    [set({}), true, 'Refused'],
  ])('%#', (s, isOwn, state) => {
    expect(handbackStateOf(s, V, isOwn).state).toBe(state)
  })
  it('nobody else knows Continuous', () => {
    expect(handbackStateOf(set(OURS, [], 'Continuous'), V, false)).toMatchObject({
      message: 'set spec.strategy to Reconcile first: Cluster API does not know Continuous',
    })
  })
})

describe('it is over', () => {
  const paused = ['Paused', 'True'] as const
  it.each([
    [set({ [CAPI_PAUSED]: 'lockstep' }, [paused]), true, 'Lockstep still pauses Cluster API'],
    [set({}, [['lockstep.dev/Managed', 'True']]), false, 'conditions of Lockstep still exist'],
    [set({}, [paused]), true, 'Cluster API has not reported Paused=False'],
    // Nobody is there to say it.
    [set({}, [paused]), false, undefined],
    [set({}, [['Paused', 'False']]), true, undefined],
    // Versions before 1.9 say nothing of a pause.
    [set({}), true, undefined],
    // Of its user.
    [set({ [CAPI_PAUSED]: 'true' }, [paused]), true, undefined],
  ])('once nothing of us is left, and whoever is there has said so: %#', (s, isRunning, lacks) => {
    expect(lacksBack(s, V, isRunning)).toBe(lacks)
  })
})

it('marks on clusters do not stay where they are to be taken off', () => {
  expect(leftAfter(set(OURS), true)).toEqual([])
})

it('what stays is said: settings, the pause of a user, another mode, labels on clusters', () => {
  expect(
    leftAfter(set({ ...OURS, [SET.paused]: 'true', [SET.mode]: 'Continuous', [SET.prune]: 'true' }), false),
  ).toEqual([
    'cluster.x-k8s.io/paused: a pause by a user, which also stops Cluster API',
    'Cluster API continues with spec.strategy: Reconcile, not with lockstep.dev/mode: Continuous',
    'settings without effect on Cluster API: lockstep.dev/mode, lockstep.dev/prune',
    expect.stringContaining('on clusters, label lockstep.dev/unit'),
  ])
  expect(leftAfter(set(OURS, [], 'ApplyOnce'), false)).toEqual([])
})

it.each([
  ['manager-1', '2026-01-01T00:00:00Z', true],
  ['manager-1', '2025-12-31T23:59:25Z', false],
  ['', '2026-01-01T00:00:00Z', false],
])('the Lease of %j, renewed at %s, is held: %s', (holderIdentity, renewTime, isIt) => {
  const spec = { holderIdentity, renewTime, leaseDurationSeconds: 15 }
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec }
  expect(isHeld(lease, Date.parse('2026-01-01T00:00:05Z'))).toBe(isIt)
})
