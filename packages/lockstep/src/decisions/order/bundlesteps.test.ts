/** Steps: several bundles in one, each of which is well before the next begins. */
import { describe, expect, it } from 'vitest'
import {
  edgesOf,
  graphOf,
  isBefore,
  manifest,
  namesOf,
  nodeOf,
  refusalOf,
} from '../../../../../test/order.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { orderText } from './ordersteps.ts'

const STEP = 'lockstep.dev/step'
const WAVE = 'argocd.argoproj.io/sync-wave'
const HOOK = 'lockstep.dev/hook'
const inStep = (text: string, step: string, more: object = {}): KubeObject =>
  manifest(text, { [STEP]: step, ...more })

describe('steps', () => {
  it('what is of the former is healthy, its Jobs complete, before any of the next; who says nothing is of step 0', () => {
    const graph = graphOf([
      inStep('v1 Secret app/late', '10'),
      inStep('apps/v1 Deployment app/d', '2'),
      inStep('batch/v1 Job app/j', '2'),
      manifest('v1 ConfigMap app/a'),
    ])
    expect(edgesOf(graph)).toEqual([
      'ConfigMap app/a -(step 0, Healthy)-> step 0',
      'Secret app/late -(step 10, Healthy)-> step 10',
      'apps/Deployment app/d -(step 2, Healthy)-> step 2',
      'batch/Job app/j -(step 2, Complete)-> step 2',
      'step 0 -(lockstep.dev/step 0 before 2, Applied)-> apps/Deployment app/d',
      'step 0 -(lockstep.dev/step 0 before 2, Applied)-> batch/Job app/j',
      'step 0 -(lockstep.dev/step 0 before 2, Applied)-> step 2',
      'step 2 -(lockstep.dev/step 2 before 10, Applied)-> Secret app/late',
      'step 2 -(lockstep.dev/step 2 before 10, Applied)-> step 10',
    ])
  })

  it('go before phases: a PreSync hook comes before the objects of its own step, a PostSync hook behind them', () => {
    const hook = (name: string, phase: string, step: string) =>
      inStep(`batch/v1 Job app/${name}`, step, { [HOOK]: phase })
    const graph = graphOf([
      hook('pre1', 'PreSync', '1'),
      hook('post1', 'PostSync', '1'),
      hook('pre2', 'PreSync', '2'),
      hook('both2', 'PreSync,PostSync', '2'),
      inStep('v1 ConfigMap app/a', '1'),
      inStep('v1 ConfigMap app/b', '2'),
    ])
    expect(namesOf(graph)).toEqual([
      'PreSync batch/Job app/pre1',
      'ConfigMap app/a',
      'PostSync batch/Job app/post1',
      'PreSync batch/Job app/both2',
      'PreSync batch/Job app/pre2',
      'ConfigMap app/b',
      'PostSync batch/Job app/both2',
    ])
    const before = [
      ['PreSync batch/Job app/pre1', 'ConfigMap app/a'],
      ['ConfigMap app/a', 'PostSync batch/Job app/post1'],
      ['PostSync batch/Job app/post1', 'PreSync batch/Job app/pre2'],
      ['PreSync batch/Job app/pre2', 'ConfigMap app/b'],
    ] as const
    for (const [a, b] of before) expect(isBefore(graph, a, b), `${a} before ${b}`).toBe(true)
    expect(edgesOf(graph)).toContain(
      'PostSync batch/Job app/post1 -(step 1 PostSync, Complete)-> step 1 PostSync',
    )
  })

  it('go before waves, which begin anew in each; weights of Helm, too', () => {
    const graph = graphOf([
      inStep('v1 ConfigMap app/a', '1', { [WAVE]: '5' }),
      inStep('v1 ConfigMap app/b', '2', { [WAVE]: '-5' }),
      inStep('v1 ConfigMap app/c', '2'),
    ])
    expect(namesOf(graph)).toEqual(['ConfigMap app/a', 'ConfigMap app/b', 'ConfigMap app/c'])
    expect(edgesOf(graph).filter((e) => / before /.test(e) && !/-> step/.test(e))).toEqual([
      'step 1 wave 5 -(lockstep.dev/step 1 before 2, Applied)-> ConfigMap app/b',
      'step 2 wave -5 -(argocd.argoproj.io/sync-wave -5 before 0, Applied)-> ConfigMap app/c',
    ])
    const job = (name: string, weight: string, step: string) =>
      inStep(`batch/v1 Job app/${name}`, step, {
        'helm.sh/hook': 'pre-install,pre-delete',
        'helm.sh/hook-weight': weight,
      })
    const weighed = graphOf([job('a', '5', '1'), job('b', '-5', '2'), job('c', '0', '1')])
    expect(namesOf(weighed).map((n) => n.at(-1))).toEqual(['c', 'a', 'b'])
    expect(weighed.preDelete.map((s) => s.map((h) => h.object.metadata.name))).toEqual([['c'], ['a'], ['b']])
  })

  it('a Namespace, and a definition, are pulled forward to the first step of their content', () => {
    const crd = inStep('apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com', '7')
    const graph = graphOf([
      inStep('v1 Namespace app', '5'),
      inStep('v1 ConfigMap app/a', '3'),
      { ...crd, spec: { group: 'example.com', names: { kind: 'Widget' } } },
      inStep('example.com/v1 Widget w', '1'),
      manifest('v1 ConfigMap other/first'),
    ])
    expect(nodeOf(graph, 'object', 'Namespace app').step).toBe(3)
    expect(nodeOf(graph, 'object', 'widgets.example.com').step).toBe(1)
    expect(namesOf(graph)).toEqual([
      'ConfigMap other/first',
      'apiextensions.k8s.io/CustomResourceDefinition widgets.example.com',
      'example.com/Widget w',
      'Namespace app',
      'ConfigMap app/a',
    ])
  })

  it('leave out what manifests imply against them, and refuse what somebody asks against them', () => {
    const workload = inStep('apps/v1 Deployment app/d', '1', {})
    const pods = { spec: { template: { spec: { serviceAccountName: 'late' } } } }
    const account = inStep('v1 ServiceAccount app/late', '2')
    expect(namesOf(graphOf([account, { ...workload, ...pods }]))).toEqual([
      'apps/Deployment app/d',
      'ServiceAccount app/late',
    ])
    const needs = { 'lockstep.dev/depends-on': '/namespaces/app/ConfigMap/late' }
    expect(
      refusalOf([
        inStep('v1 ConfigMap app/early', '1', needs),
        inStep('v1 ConfigMap app/between', '2'),
        inStep('v1 ConfigMap app/late', '3'),
      ]),
    ).toBe(
      'CycleDetected: order has a cycle: ConfigMap app/early -(lockstep.dev/step 1 before 3)-> ConfigMap app/late -(lockstep.dev/depends-on, Healthy)-> ConfigMap app/early; remove one of these dependencies',
    )
  })

  it('say who asks for them, and are undone the other way round', () => {
    const graph = graphOf([
      inStep('v1 ConfigMap app/c', '3'),
      inStep('v1 ConfigMap app/a', '1'),
      inStep('v1 ConfigMap app/b', '2'),
    ])
    expect(orderText(graph)).toEqual([
      '1. apply ConfigMap app/a',
      '2. apply ConfigMap app/b after step 1 Applied (Own: lockstep.dev/step 1 before 2)',
      '3. apply ConfigMap app/c after step 2 Applied (Own: lockstep.dev/step 2 before 3)',
    ])
    const depth = (name: string) => graph.depths[graph.nodes.indexOf(nodeOf(graph, 'object', name))]!
    expect(['a', 'b', 'c'].map((n) => depth(`app/${n}`).level)).toEqual([0, 1, 2])
    expect(new Set(['a', 'b', 'c'].map((n) => depth(`app/${n}`).part)).size).toBe(1)
  })

  it('count on a ClusterResourceSet, of whose settings they are none, and with every dialect switched off', () => {
    const set = inStep('addons.cluster.x-k8s.io/v1beta2 ClusterResourceSet app/s', '1')
    const graph = graphOf([set, inStep('v1 Secret app/z', '0')], [])
    expect(namesOf(graph)).toEqual(['Secret app/z', 'addons.cluster.x-k8s.io/ClusterResourceSet app/s'])
    expect(isBefore(graph, 'Secret app/z', 'addons.cluster.x-k8s.io/ClusterResourceSet app/s')).toBe(true)
  })
})
