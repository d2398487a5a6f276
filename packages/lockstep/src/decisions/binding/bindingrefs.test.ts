import { expect, it } from 'vitest'
import { bindingRefs } from './bindingrefs.ts'
import type { BindingFailure } from './resolvebindings.ts'

const object = { apiVersion: 'v1', kind: 'ConfigMap' }
const at = (where: 'Hub' | 'Cluster', namespace?: string): BindingFailure['from'] => ({
  type: 'Object',
  where,
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'net',
  namespace,
})

it.each<[string, BindingFailure['from'], string | undefined, unknown[]]>([
  ['a binding without a source', undefined, 'c1', []],
  [
    'a label of a cluster',
    { type: 'Cluster' },
    'c1',
    [{ kind: 'Cluster', name: 'c1', namespace: 'platform' }],
  ],
  ['a label of all clusters', { type: 'Cluster' }, undefined, []],
  ['an object of the hub', at('Hub'), 'c1', [{ kind: 'Object', name: 'net', namespace: 'platform', object }]],
  [
    'an object of a cluster',
    at('Cluster', 'default'),
    'c1',
    [{ kind: 'Object', name: 'net', namespace: 'default', cluster: 'c1', object }],
  ],
  [
    'an object without a namespace',
    at('Cluster'),
    'c1',
    [{ kind: 'Object', name: 'net', cluster: 'c1', object }],
  ],
])('references of %s', (_, from, cluster, refs) => {
  expect(bindingRefs({ ...(from ? { from } : {}) }, 'platform', cluster)).toEqual(refs)
})
