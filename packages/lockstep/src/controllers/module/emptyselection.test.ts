import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { Module } from '../../api/kinds/index.ts'
import type { ClusterView } from '../../fleet/clusters/cluster.ts'
import { emptySelection, missingClusters } from './emptyselection.ts'
import type { UnitFacts } from './unitviews.ts'

const cluster = (
  name: string,
  labels: Record<string, string>,
  over: Partial<ClusterView> = {},
): ClusterView => ({
  kind: 'Secret',
  namespace: 'platform',
  name,
  standsIn: false,
  objectName: name,
  uid: name,
  labels,
  annotations: {},
  properties: {},
  paused: undefined,
  deleting: false,
  initialized: true,
  access: { type: 'Missing', message: '' },
  ...over,
})

const unit = (name: string, reason?: 'DuplicateOf'): UnitFacts =>
  ({ view: { cluster: name, selected: false }, condition: { reason } }) as UnitFacts

const web = (targets: object | undefined, metadata: object = {}) =>
  ({
    kind: 'Module',
    metadata: { name: 'web', namespace: 'platform', ...metadata },
    spec: { targets },
  }) as unknown as Stored<Module>

const of = (
  targets: object | undefined,
  clusters: readonly ClusterView[],
  units: readonly UnitFacts[] = [],
) => emptySelection(web(targets), units, clusters)?.message

const said = (selector: object, clusters: readonly ClusterView[], units: readonly UnitFacts[] = []) =>
  of({ clusterSelector: selector }, clusters, units)

const prd = { matchLabels: { env: 'prd' } }
const prod = { matchLabels: { env: 'prod' } }

describe('a selector that selects nothing', () => {
  it('names what there is, the most frequent first', () => {
    const three = [cluster('a', { env: 'dev' }), cluster('b', { env: 'prod' }), cluster('c', { env: 'prod' })]
    expect(said(prd, three)).toBe('0 of 3 clusters match env=prd (labels seen: env=prod, env=dev)')
  })

  it('shows that no cluster has the key', () => {
    expect(said(prd, [cluster('a', {})])).toBe(
      '0 of 1 clusters match env=prd (labels seen: none of these keys)',
    )
  })

  it('is short, however many clusters and values there are', () => {
    const many = Array.from({ length: 10_000 }, (_, i) =>
      cluster(`c${i}`, { site: `site-${i}`, env: 'prod' }),
    )
    const sites = Array.from({ length: 500 }, (_, i) => `s${i}`)
    const selector = { ...prd, matchExpressions: [{ key: 'site', operator: 'In', values: sites }] }
    const text = said(selector, many)!
    expect(text).toMatch(
      /^0 of 10000 clusters match env=prd, site In \(s0, .*s9 and 490 more\) \(labels seen: env=prod; site=site-0, /,
    )
    expect(text).toMatch(/ and 9990 more\)$/)
    expect(text.length).toBeLessThan(500)
  })

  it('says why those that match do not count', () => {
    const two = [cluster('a', { env: 'dev' }), cluster('b', { env: 'prod' })]
    expect(said(prod, two, [unit('b', 'DuplicateOf')])).toBe(
      '0 of 2 clusters selected: 1 match env=prod, 1 known by another object (DuplicateOf)',
    )
    const going = [cluster('a', { env: 'prod' }, { deleting: true }), cluster('b', { env: 'prod' })]
    expect(said(prod, going)).toBe(
      '0 of 2 clusters selected: 2 match env=prod, 1 being deleted, 1 excluded by another field of spec.targets',
    )
  })

  it('names the clusters that do not exist, the first three', () => {
    const three = ['a', 'b', 'c'].map((name) => cluster(name, { env: 'prod' }))
    expect(of({ clusters: ['x'] }, three)).toBe('0 of 3 clusters selected: x does not exist')
    const names = ['x', 'y', 'z', ...Array.from({ length: 997 }, (_, i) => `n${i}`)]
    expect(of({ clusters: names }, three)).toBe('0 of 3 clusters selected: x, y, z and 997 more do not exist')
    expect(of({ clusters: ['a', 'x'], exclude: {} }, three)).toBe(
      '0 of 3 clusters selected: 1 named, 1 excluded by another field of spec.targets, x does not exist',
    )
    expect(of({ clusterSelector: prd, clusters: ['x'] }, three)).toBe(
      '0 of 3 clusters match env=prd (labels seen: env=prod); x does not exist',
    )
    expect(missingClusters(web({ clusters: ['a', 'x'] }), three)).toEqual(['x'])
  })

  it('holds without clusters, and without targets', () => {
    const none = '0 of 0 clusters match env=prod (the namespace has no clusters)'
    expect(said(prod, [])).toBe(none)
    expect(said(prod, [cluster('hub', { env: 'prod' }, { kind: 'Hub' })])).toBe(none)
    expect(said({}, [])).toBe('0 of 0 clusters match {} (the namespace has no clusters)')
    for (const targets of [undefined, {}, { clusters: [] }])
      expect(of(targets, [cluster('a', {})])).toBe(
        '0 of 1 clusters selected: spec.targets has no clusterSelector and no clusters',
      )
  })

  it('excludes the hub, a Module that may select none, a selected cluster and a deletion', () => {
    expect(of({ hub: true }, [])).toBeUndefined()
    expect(of({ clusterSelector: prd, allowEmpty: true }, [])).toBeUndefined()
    const selected = { view: { cluster: 'a', selected: true } } as UnitFacts
    expect(said(prd, [cluster('a', {})], [selected])).toBeUndefined()
    const deleted = web({ clusterSelector: prd }, { deletionTimestamp: '2026-01-01T00:00:00Z' })
    expect(emptySelection(deleted, [], [])).toBeUndefined()
  })
})
