/** Where a hand-back takes marks off. */
import { expect, it } from 'vitest'
import type { ServedResource } from '../../../../../kube/src/client/client.ts'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type {
  ClusterResourceSet,
  ClusterResourceSetBinding,
} from '../../../api/kinds/clusterresourceset/columns.ts'
import type { ClusterView } from '../../../fleet/clusters/cluster.ts'
import { clustersOf, strippable } from './stripset.ts'

const served = (group: string, version: string, more: Partial<ServedResource> = {}): ServedResource => ({
  group,
  version,
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
  hasStatus: false,
  preferred: true,
  verbs: ['get', 'list', 'patch'],
  ...more,
})

it('each kind is asked for once, in the version that its group prefers, if it can be listed and changed', () => {
  const older = served('a', 'v1beta1', { preferred: false })
  const newer = served('a', 'v1')
  const only = served('b', 'v1alpha1', { preferred: false })
  const unlistable = served('c', 'v1', { verbs: ['create'] })
  expect(strippable([older, newer, only, unlistable])).toEqual([newer, only])
  expect(strippable([newer, older])).toEqual([newer])
})

it('clusters that the set selects, and those where its binding says that it is; no others', () => {
  const set = {
    metadata: { name: 'shop', namespace: 'sets' },
    spec: { clusterSelector: { matchLabels: { env: 'prod' } } },
  } as unknown as Stored<ClusterResourceSet>
  const view = (objectName: string, labels: Record<string, string>, more: Partial<ClusterView> = {}) =>
    ({ name: objectName, objectName, namespace: 'sets', deleting: false, labels, ...more }) as ClusterView
  const bound = (name: string, of: string, namespace = 'sets') =>
    ({
      metadata: { name, namespace },
      spec: { clusterName: name, bindings: [{ clusterResourceSetName: of, resources: [] }] },
    }) as unknown as Stored<ClusterResourceSetBinding>
  const clusters = [
    view('c1', { env: 'prod' }),
    view('c2', { env: 'test' }),
    view('c3', { env: 'test' }),
    view('c4', { env: 'prod' }, { deleting: true }),
    view('c5', { env: 'prod' }, { namespace: 'other' }),
    view('c6', {}, { deleting: true }),
  ]
  const bindings = [
    bound('c2', 'shop'),
    bound('c3', 'another'),
    bound('c5', 'shop', 'other'),
    bound('c6', 'shop'),
  ]
  expect(clustersOf(set, { clusters, bindings }).map((v) => v.name)).toEqual(['c1', 'c2'])
})
