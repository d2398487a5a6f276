/** When an object of an inventory says something else of its cluster. */
import { expect, it } from 'vitest'
import { type ClusterView, hubView, isSameView } from './cluster.ts'

const view: ClusterView = {
  ...hubView('n'),
  kind: 'ClusterAPI',
  name: 'c1',
  objectName: 'c1',
  uid: 'u',
  resourceVersion: '1',
  labels: { env: 'prod', tier: 'a' },
  access: { type: 'Source', source: { type: 'Static', endpoint: { url: 'https://c1' } }, version: '7' },
}

it.each<[string, Partial<ClusterView>]>([
  ['another version of it', { resourceVersion: '2' }],
  ['the name under which its units know it', { name: 'other', standsIn: true }],
  ['labels in another order', { labels: { tier: 'a', env: 'prod' } }],
  ['the same credential, read again', { access: { ...view.access } as ClusterView['access'] }],
])('%s is nothing new', (_, change) => {
  expect(isSameView(view, { ...view, ...change })).toBe(true)
})

it.each<[string, Partial<ClusterView>]>([
  ['another object of its name', { uid: 'v' }],
  ['a label', { labels: { env: 'test', tier: 'a' } }],
  ['an annotation', { annotations: { a: 'b' } }],
  ['a property', { properties: { a: 'b' } }],
  ['a pause', { paused: 'spec.paused' }],
  ['that it is being deleted', { deleting: true }],
  ['that it is up', { initialized: false }],
  ['namespaces', { namespaces: ['a'] }],
  ['what it may do beside these', { clusterResources: true }],
  [
    'another credential',
    { access: { type: 'Source', source: { type: 'Static', endpoint: { url: 'https://c1' } }, version: '8' } },
  ],
  ['that there is none', { access: { type: 'Missing', message: 'gone' } }],
])('%s is news', (_, change) => {
  expect(isSameView(view, { ...view, ...change })).toBe(false)
  expect(isSameView({ ...view, ...change }, view)).toBe(false)
})
it('another reason for a lack is news', () => {
  const lacking = (message: string): ClusterView => ({ ...view, access: { type: 'Missing', message } })
  expect(isSameView(lacking('a'), lacking('b'))).toBe(false)
})
