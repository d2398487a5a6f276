import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type { ClusterResourceSet } from '../../../api/kinds/clusterresourceset/columns.ts'
import { CAPI_PAUSED, SET } from '../../../api/kinds/clusterresourceset/spec.ts'
import {
  planTakeover,
  sourcePlanCounts,
  type TakeoverClusterFacts,
  type TakeoverFacts,
  type TakeoverSourceFacts,
} from './takeoverplan.ts'

const MADE = Date.parse('2026-05-01T00:00:00Z')

const set = (strategy: string, annotations: Record<string, string> = {}, meta: object = {}) =>
  ({
    metadata: { name: 'shop', namespace: 'sets', annotations, ...meta },
    spec: { strategy, clusterSelector: { matchLabels: { a: 'b' } } },
  }) as unknown as Stored<ClusterResourceSet>

const a: TakeoverSourceFacts = { ref: { kind: 'ConfigMap', name: 'a' }, hash: 'sha256:1' }
const on = (
  hash: string,
  more: Partial<TakeoverClusterFacts> = {},
  applied = true,
): TakeoverClusterFacts => ({
  cluster: 'c1',
  paused: undefined,
  madeAt: MADE,
  entries: [{ kind: 'ConfigMap', name: 'a', hash, lastAppliedTime: '2026-06-01T00:00:00Z', applied }],
  ...more,
})
const facts = (s: Stored<ClusterResourceSet>, ...clusters: TakeoverClusterFacts[]): TakeoverFacts => ({
  set: s,
  sources: [a],
  clusters,
})
const plansOf = (f: TakeoverFacts) => planTakeover(f).clusters.map((x) => x.sources.map((s) => s.plan).join())

describe('what happens to a source on a cluster', () => {
  it.each([
    ['ApplyOnce', on('sha256:1'), 'nothing'],
    ['ApplyOnce', on('sha256:2'), 'nothing'],
    ['Reconcile', on('sha256:1'), 'nothing'],
    ['Reconcile', on('sha256:2'), 'apply (hash differs)'],
    ['Continuous', on('sha256:1'), 'metadata only'],
    ['Reconcile', on('sha256:1', {}, false), 'apply (not applied)'],
    ['ApplyOnce', on('sha256:1', { entries: [] }), 'apply (not applied)'],
    ['ApplyOnce', on('sha256:1', { madeAt: Date.parse('2026-06-01T00:06:00Z') }), 'apply (not applied)'],
    ['ApplyOnce', on('sha256:1', { madeAt: 'no route' }), 'nothing'],
  ])('%s, by its binding and its age: %#', (mode, cluster, plan) => {
    expect(plansOf(facts(set('Reconcile', { [SET.mode]: mode }), cluster))).toEqual([plan])
  })

  it('what the plan rests on is said of the cluster', () => {
    const clusters = [
      on('sha256:1', { paused: 'spec.paused' }),
      on('sha256:1', { madeAt: Date.parse('2026-07-01T00:00:00Z') }),
      on('sha256:1', { madeAt: 'no route' }),
    ]
    expect(planTakeover(facts(set('Reconcile'), ...clusters)).clusters.map((x) => x.notes)).toEqual([
      ['nothing is written while it is paused (spec.paused)'],
      ['its binding is older than the cluster: it belongs to an earlier cluster of that name'],
      ['its binding is assumed valid, because its age is unknown: no route'],
    ])
  })

  it('is counted', () => {
    const { clusters } = planTakeover(facts(set('Reconcile'), on('sha256:2'), on('sha256:1'), on('sha256:1')))
    expect(sourcePlanCounts(clusters)).toEqual([
      ['nothing', 2],
      ['apply (hash differs)', 1],
    ])
  })
})

describe('before it is taken over', () => {
  it('bad settings are refused, each in its own words', () => {
    const bad = set('Reconcile', { [SET.interval]: '10', [SET.existing]: 'keep' })
    expect(planTakeover(facts(bad, on('sha256:1')))).toMatchObject({
      mode: undefined,
      refused:
        'lockstep.dev/interval: "10": not a duration; write "10s" or "10m"; lockstep.dev/existing: "keep": unknown; write Keep, Take or Fail',
      clusters: [],
    })
    const leaving = set('Reconcile', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })
    expect(planTakeover(facts(leaving)).refused).toBe('terminating')
    expect(planTakeover(facts(set('Reconcile'))).refused).toBeUndefined()
  })

  it.each([
    ['Reconcile', 'ApplyOnce', /mode: ApplyOnce overrides spec.strategy: Reconcile.* no longer deployed$/],
    ['ApplyOnce', 'Reconcile', /mode: Reconcile overrides spec.strategy: ApplyOnce.* deployed from then on$/],
    ['Reconcile', 'Continuous', /drift is reverted from then on/],
  ])('%s, with another mode %s: what becomes otherwise is said', (strategy, mode, warning) => {
    expect(planTakeover(facts(set(strategy, { [SET.mode]: mode }), on('sha256:1'))).warnings).toEqual([
      expect.stringMatching(warning),
    ])
    expect(planTakeover(facts(set(mode, { [SET.mode]: mode }), on('sha256:1'))).warnings).toEqual([])
  })

  it("a user's pause, sources that are not there, and a selector of nothing are said", () => {
    const paused = set('Reconcile', { [CAPI_PAUSED]: '' })
    const missing: TakeoverSourceFacts = {
      ref: { kind: 'Secret', name: 'b' },
      problem: 'ResourceNotFound: Secret b',
    }
    expect(planTakeover({ ...facts(paused), sources: [a, missing] }).warnings).toEqual([
      'ResourceNotFound: Secret b',
      expect.stringMatching(/^cluster.x-k8s.io\/paused exists: it becomes a pause by lockstep.dev\/paused/),
      'spec.clusterSelector selects no Cluster of its namespace',
    ])
  })
})
