import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { Module } from '../../api/kinds/index.ts'
import type { ClusterView } from '../../fleet/clusters/cluster.ts'
import { emptySelectorBlockers } from './emptyselector.ts'
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

const said = (selector: object, clusters: readonly ClusterView[], units: readonly UnitFacts[] = []) => {
  const spec = { targets: { clusterSelector: selector } }
  const module = { kind: 'Module', metadata: { name: 'web' }, spec } as unknown as Stored<Module>
  return emptySelectorBlockers(module, units, clusters).map((b) => b.message)
}

const prd = { matchLabels: { env: 'prd' } }
const prod = { matchLabels: { env: 'prod' } }

describe('a selector that selects nothing', () => {
  it('names what there is, the most frequent first', () => {
    const three = [cluster('a', { env: 'dev' }), cluster('b', { env: 'prod' }), cluster('c', { env: 'prod' })]
    expect(said(prd, three)).toEqual(['0 of 3 clusters match env=prd (labels seen: env=prod, env=dev)'])
  })

  it('says that nobody has the key', () => {
    expect(said(prd, [cluster('a', {})])).toEqual([
      '0 of 1 clusters match env=prd (labels seen: none of these keys)',
    ])
  })

  it('is short, however many clusters and values there are', () => {
    const many = Array.from({ length: 10_000 }, (_, i) =>
      cluster(`c${i}`, { site: `site-${i}`, env: 'prod' }),
    )
    const sites = Array.from({ length: 500 }, (_, i) => `s${i}`)
    const selector = { ...prd, matchExpressions: [{ key: 'site', operator: 'In', values: sites }] }
    const [text = ''] = said(selector, many)
    expect(text).toMatch(
      /^0 of 10000 clusters match env=prd, site In \(s0, .*s9 and 490 more\) \(labels seen: env=prod; site=site-0, /,
    )
    expect(text).toMatch(/ and 9990 more\)$/)
    expect(text.length).toBeLessThan(500)
  })

  it('says why those that match do not count', () => {
    const two = [cluster('a', { env: 'dev' }), cluster('b', { env: 'prod' })]
    expect(said(prod, two, [unit('b', 'DuplicateOf')])).toEqual([
      '0 of 2 clusters selected: 1 match env=prod, 1 known by another object (DuplicateOf)',
    ])
    const going = [cluster('a', { env: 'prod' }, { deleting: true }), cluster('b', { env: 'prod' })]
    expect(said(prod, going)).toEqual([
      '0 of 2 clusters selected: 2 match env=prod, 1 being deleted and 1 excluded by another field of spec.targets',
    ])
  })

  it('is told of only where there are clusters, and a selector', () => {
    expect(said(prod, [])).toEqual([])
    expect(said(prod, [cluster('hub', {}, { kind: 'Hub' })])).toEqual([])
  })
})
