/** Phases, waves and weights. */
import { describe, expect, it } from 'vitest'
import { edgesOf, graphOf, isBefore, manifest, namesOf, nodeOf } from '../../../../../test/order.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const HOOK = 'argocd.argoproj.io/hook'
const inWave = (text: string, wave: string, more: object = {}): KubeObject =>
  manifest(text, { [WAVE]: wave, ...more })

describe('waves', () => {
  it('are numbers; what is none is 0, or the weight of Helm', () => {
    const waves = ['-100', '-50', '0', 'first', '10', '100000']
    const graph = graphOf(waves.map((w, i) => inWave(`v1 ConfigMap app/c${i}`, w)))
    const numbers = waves.map((_, i) => nodeOf(graph, 'object', `c${i}`).wave)
    expect(numbers).toEqual([-100, -50, 0, 0, 10, 100_000])
    expect(isBefore(graph, 'ConfigMap app/c1', 'ConfigMap app/c3')).toBe(true)
    expect(isBefore(graph, 'ConfigMap app/c2', 'ConfigMap app/c3')).toBe(false)
    const weighed = graphOf(
      ['', 'x'].map((w, i) => inWave(`v1 ConfigMap app/c${i}`, w, { 'helm.sh/hook-weight': '3' })),
    )
    expect(weighed.nodes.flatMap((n) => (n.type === 'object' ? [n.wave] : []))).toEqual([3, 3])
  })

  it('the former wave is healthy, its Jobs complete; inside one, kinds come one after another', () => {
    const graph = graphOf([
      inWave('v1 ConfigMap app/a', '0'),
      inWave('batch/v1 Job app/j', '0'),
      inWave('apps/v1 Deployment app/d', '1'),
    ])
    expect(edgesOf(graph)).toEqual([
      'ConfigMap app/a -(kind order in wave 0, Applied)-> wave 0 kinds 8',
      'ConfigMap app/a -(wave 0, Healthy)-> wave 0',
      'apps/Deployment app/d -(wave 1, Healthy)-> wave 1',
      'batch/Job app/j -(wave 0, Complete)-> wave 0',
      'wave 0 -(argocd.argoproj.io/sync-wave 0 before 1, Applied)-> apps/Deployment app/d',
      'wave 0 -(argocd.argoproj.io/sync-wave 0 before 1, Applied)-> wave 1',
      'wave 0 kinds 8 -(kind order in wave 0, Applied)-> batch/Job app/j',
    ])
  })

  it('an Application that nobody has put into one holds none open, only the end of its phase (ADR 0085)', () => {
    const app = (name: string, more?: Record<string, string>): KubeObject =>
      manifest(`argoproj.io/v1alpha1 Application argo/${name}`, more)
    const graph = graphOf([
      app('loose'),
      app('placed', { [WAVE]: '0' }),
      inWave('v1 ConfigMap app/c', '5'),
      manifest('v1 ConfigMap app/after', { [HOOK]: 'PostSync' }),
    ])
    expect(edgesOf(graph).filter((e) => e.startsWith('argoproj.io/Application'))).toEqual([
      'argoproj.io/Application argo/loose -(wave 0, Applied)-> wave 0',
      'argoproj.io/Application argo/loose -(wave 5, Healthy)-> wave 5',
      'argoproj.io/Application argo/placed -(wave 0, Healthy)-> wave 0',
    ])
    // In the last wave of its phase it is waited for like any other.
    expect(edgesOf(graphOf([app('loose'), inWave('v1 ConfigMap app/c', '-5')]))).toContain(
      'argoproj.io/Application argo/loose -(wave 0, Healthy)-> wave 0',
    )
    const other = graphOf([manifest('app.k8s.io/v1 Application app/a'), inWave('v1 ConfigMap app/c', '5')])
    expect(edgesOf(other)).toContain('app.k8s.io/Application app/a -(wave 0, Healthy)-> wave 0')
  })

  it('a Namespace is pulled forward to its content, a definition into the phase of a hook of its kind', () => {
    const crd = inWave('apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com', '5')
    const graph = graphOf([
      inWave('v1 Namespace app', '5'),
      manifest('v1 ConfigMap app/a'),
      { ...crd, spec: { group: 'example.com', names: { kind: 'Widget' } } },
      manifest('example.com/v1 Widget w', { [HOOK]: 'PreSync' }),
      inWave('v1 ConfigMap other/b', '1'),
    ])
    expect(nodeOf(graph, 'object', 'Namespace app')).toMatchObject({ phase: 'Sync', wave: 0 })
    expect(nodeOf(graph, 'object', 'widgets.example.com')).toMatchObject({ phase: 'PreSync', wave: 0 })
    expect(namesOf(graph)).toEqual([
      'apiextensions.k8s.io/CustomResourceDefinition widgets.example.com',
      'PreSync example.com/Widget w',
      'Namespace app',
      'ConfigMap app/a',
      'ConfigMap other/b',
    ])
  })

  it('no barrier stands where nobody asks for waves', () => {
    const graph = graphOf([
      manifest('v1 ConfigMap app/a'),
      manifest('v1 Secret app/b', { 'helm.sh/hook-weight': '3' }),
    ])
    expect(graph.nodes.map((n) => n.type)).toEqual(['object', 'object'])
  })

  it('of a dialect that is switched off, they are nothing', () => {
    expect(
      graphOf([inWave('v1 ConfigMap app/a', '5'), inWave('v1 ConfigMap app/b', '1')], []).needs.flat(),
    ).toEqual([])
  })
})

describe('hooks', () => {
  it('come before, among and behind the objects; the next phase waits for their end', () => {
    const graph = graphOf([
      manifest('batch/v1 Job app/pre', { [HOOK]: 'PreSync' }),
      manifest('batch/v1 Job app/post', { [HOOK]: 'PostSync' }),
      inWave('batch/v1 Job app/mid', '1', { [HOOK]: 'Sync' }),
      manifest('v1 ConfigMap app/a'),
      inWave('v1 ConfigMap app/b', '2'),
      manifest('batch/v1 Job app/undo', { [HOOK]: 'SyncFail' }),
    ])
    expect(namesOf(graph)).toEqual([
      'PreSync batch/Job app/pre',
      'ConfigMap app/a',
      'Sync batch/Job app/mid',
      'ConfigMap app/b',
      'PostSync batch/Job app/post',
    ])
    expect(edgesOf(graph)).toContain('Sync batch/Job app/mid -(wave 1, Complete)-> wave 1')
    expect(edgesOf(graph)).toContain('PreSync wave 0 -(PreSync before Sync, Applied)-> ConfigMap app/a')
    expect(graph.syncFail.map((step) => step.map((h) => h.id))).toEqual([['SyncFail batch/Job/app/undo']])
  })

  it('of ours stand in phases too, without any wave', () => {
    const graph = graphOf([
      manifest('batch/v1 Job app/pre', { 'lockstep.dev/hook': 'PreSync' }),
      manifest('batch/v1 Job app/pre2', { 'lockstep.dev/hook': 'PreSync' }),
      manifest('v1 Namespace app'),
      manifest('v1 Secret app/a'),
      manifest('v1 Service app/b'),
    ])
    expect(isBefore(graph, 'PreSync batch/Job app/pre', 'Secret app/a')).toBe(true)
    expect(isBefore(graph, 'PreSync batch/Job app/pre', 'PreSync batch/Job app/pre2')).toBe(false)
    expect(isBefore(graph, 'Secret app/a', 'Service app/b')).toBe(false)
    expect(namesOf(graph)[0]).toBe('Namespace app')
  })

  it('of Helm run one after another, by weight, then name', () => {
    const job = (name: string, weight: string) =>
      manifest(`batch/v1 Job app/${name}`, { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-weight': weight })
    const graph = graphOf([job('b', '5'), job('c', '-1'), job('a', '-1'), manifest('v1 ConfigMap app/x')])
    expect(namesOf(graph)).toEqual([
      ...['a', 'c', 'b'].map((n) => `PreSync batch/Job app/${n}`),
      'ConfigMap app/x',
    ])
    expect(edgesOf(graph).filter((e) => e.includes('weight'))).toEqual([
      'PreSync batch/Job app/a -(helm.sh/hook-weight -1 before -1, Complete)-> PreSync batch/Job app/c',
      'PreSync batch/Job app/c -(helm.sh/hook-weight -1 before 5, Complete)-> PreSync batch/Job app/b',
    ])
  })

  it('of Helm are in waves where there are any: by weight, at once', () => {
    const job = (name: string) =>
      manifest(`batch/v1 Job app/${name}`, { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-weight': '-1' })
    const graph = graphOf([job('c'), job('a'), inWave('v1 ConfigMap app/x', '1')])
    expect(isBefore(graph, 'PreSync batch/Job app/a', 'PreSync batch/Job app/c')).toBe(false)
    expect(nodeOf(graph, 'hook', 'app/a').wave).toBe(-1)
  })

  it('outside the graph: steps by weight, or by wave and kind', () => {
    const later = (name: string, notes: object) => manifest(`batch/v1 Job app/${name}`, { ...notes })
    const helm = { 'helm.sh/hook': 'pre-delete' }
    const weighed = graphOf([
      later('b', helm),
      later('a', { ...helm, 'helm.sh/hook-weight': '2' }),
      later('c', helm),
    ])
    expect(weighed.preDelete.map((s) => s.map((h) => h.object.metadata.name))).toEqual([['b'], ['c'], ['a']])
    const argo = { [HOOK]: 'PostDelete' }
    const waved = graphOf([
      later('b', argo),
      later('a', { ...argo, [WAVE]: '1' }),
      later('c', argo),
      manifest('v1 ConfigMap app/x', argo),
    ])
    expect(waved.postDelete.map((s) => s.map((h) => h.object.metadata.name))).toEqual([
      ['x'],
      ['b', 'c'],
      ['a'],
    ])
  })
})
