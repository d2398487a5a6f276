import { expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type {
  ClusterResourceSet,
  ClusterResourceSetBinding,
} from '../../../api/kinds/clusterresourceset/columns.ts'
import { SET } from '../../../api/kinds/clusterresourceset/spec.ts'
import { hubView } from '../../../fleet/clusters/cluster.ts'
import { type SetsView, setRows } from './setrows.ts'

const REF = { kind: 'ConfigMap', name: 'a' } as const
const set = (annotations: object, conditions: readonly object[], namespace = 'sets') =>
  ({
    metadata: { name: 'shop', namespace, annotations, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { strategy: 'Reconcile', clusterSelector: { matchLabels: { env: 'prod' } }, resources: [REF] },
    status: { conditions },
  }) as unknown as Stored<ClusterResourceSet>

const cluster = (objectName: string, env = 'prod', deleting = false) => ({
  ...hubView('sets'),
  kind: 'ClusterAPI' as const,
  name: objectName,
  objectName,
  labels: { env },
  deleting,
})
const binding = (name: string, applied: boolean) =>
  ({
    metadata: { name, namespace: 'sets' },
    spec: { bindings: [{ clusterResourceSetName: 'shop', resources: [{ ...REF, applied }] }] },
  }) as unknown as Stored<ClusterResourceSetBinding>

const around = {
  clusters: [
    cluster('c1'),
    cluster('c2'),
    cluster('c3'),
    cluster('test', 'test'),
    cluster('gone', 'prod', true),
  ],
  bindings: [binding('c1', true), binding('c2', false), binding('test', true), binding('gone', true)],
}
const view = (more: Partial<SetsView> = {}): SetsView => ({
  version: 'v1beta2',
  around,
  showNamespace: false,
  nowMs: Date.parse('2026-01-01T01:00:00Z'),
  ...more,
})
const MANAGED = { type: 'lockstep.dev/Managed', status: 'True', reason: 'TakenOver', message: '' }
const LOST = { ...MANAGED, status: 'False', reason: 'PreviousControllerActive' }
const READY = { type: 'Ready', status: 'False', reason: 'NotApplied', message: 'applied on 1 of 3 clusters' }

it.each([
  ['of Cluster API', set({}, []), ['shop', 'Reconcile', '', '1/3', '', '60m']],
  ['asked for', set({ [SET.managed]: 'true' }, []), ['shop', 'Reconcile', 'Asked', '1/3', '', '60m']],
  [
    'ours',
    set({ [SET.mode]: 'Continuous' }, [MANAGED, READY]),
    ['shop', 'Continuous', 'True', '1/3', READY.message, '60m'],
  ],
  ['not ours yet', set({}, [LOST]), ['shop', 'Reconcile', 'PreviousControllerActive', '1/3', '', '60m']],
  // Of a hub with our own definition.
  ['from the beginning', set({}, [READY]), ['shop', 'Reconcile', 'True', '1/3', READY.message, '60m']],
  [
    'left alone',
    set({ [SET.managed]: 'false' }, [READY]),
    ['shop', 'Reconcile', '', '1/3', READY.message, '60m'],
  ],
  // Nothing is taken in place of a bad value.
  ['bad', set({ [SET.mode]: 'always' }, []), ['shop', 'always', '', '1/3', '', '60m']],
])('%s', (_, s, cells) => {
  expect(setRows([s], view())[1]).toEqual(cells)
})

it('v1beta1 has the conditions below; who may not read Clusters sees the rest', () => {
  const old = { ...set({}, []), status: { conditions: [], v1beta2: { conditions: [MANAGED] } } }
  const rows = setRows([old as never], view({ version: 'v1beta1', around: undefined, showNamespace: true }))
  expect(rows).toEqual([
    ['NAMESPACE', 'NAME', 'MODE', 'MANAGED', 'APPLIED', 'STATUS', 'AGE'],
    ['sets', 'shop', 'Reconcile', 'True', '?', '', '60m'],
  ])
})
