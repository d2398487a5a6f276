/** Waits of a bundle. */
import { describe, expect, it } from 'vitest'
import { edgesOf, graphOf, manifest } from '../../../../../test/order.ts'
import type { JsonObject, KubeObject } from '../../../../kube/src/object/index.ts'
import { buildOrder } from './buildorder.ts'
import { waitProblem } from './bundlewait.ts'
import { orderText } from './ordersteps.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const HOOK = 'argocd.argoproj.io/hook'
const CLASS = { resourceType: 'sc', resourceName: 'fast', asked: 'sequenceJob of odf' }

const wait = (
  annotations: Readonly<Record<string, string>>,
  spec: JsonObject = CLASS,
  name = 'w',
): KubeObject =>
  ({ ...manifest(`lockstep.dev/v1alpha1 Wait ${name}`, annotations), spec }) as unknown as KubeObject
const map = (name: string, wave?: string): KubeObject =>
  manifest(`v1 ConfigMap app/${name}`, wave === undefined ? {} : { [WAVE]: wave })

describe('a wait of a bundle', () => {
  it('holds what is of later waves, and nothing of its own', () => {
    const graph = graphOf([map('a', '5'), wait({ [WAVE]: '5', [HOOK]: 'Sync' }), map('b', '10')])
    expect(edgesOf(graph)).toEqual([
      'ConfigMap app/a -(wave 5, Healthy)-> wave 5',
      'ConfigMap app/b -(wave 10, Healthy)-> wave 10',
      'lockstep.dev/Wait//w -(wave 5, Exists)-> wave 5',
      'wave 5 -(argocd.argoproj.io/sync-wave 5 before 10, Applied)-> ConfigMap app/b',
      'wave 5 -(argocd.argoproj.io/sync-wave 5 before 10, Applied)-> wave 10',
    ])
    expect(orderText(graph)).toEqual([
      '1. apply ConfigMap app/a',
      '1. wait for sc fast (Exists: sequenceJob of odf)',
      '2. apply ConfigMap app/b after wave 5 Applied (Argo: argocd.argoproj.io/sync-wave 5 before 10)',
    ])
  })
  it('is also for an application of its group, until that is healthy', () => {
    const application = { application: 'vault', asked: 'application vault' }
    const graph = graphOf([map('a', '5'), wait({ [WAVE]: '5' }, application), map('b', '10')])
    expect(edgesOf(graph)).toContain('lockstep.dev/Wait//w -(wave 5, Healthy)-> wave 5')
    expect(orderText(graph)).toContain('1. wait for application vault (Healthy)')
    expect(graph.nodes.find((n) => n.type === 'wait')).toMatchObject({ application: 'vault' })
  })
  it('begins when the former wave is over', () => {
    const graph = graphOf([map('a', '0'), wait({ [WAVE]: '5' }), map('b', '10')])
    expect(edgesOf(graph)).toContain(
      'wave 0 -(argocd.argoproj.io/sync-wave 0 before 5, Applied)-> lockstep.dev/Wait//w',
    )
  })
  it('stands in the first phase of its hook', () => {
    const placed = (hook: string) =>
      graphOf([map('a'), wait({ [HOOK]: hook })]).nodes.find((n) => n.type === 'wait')
    expect(placed('PostSync,PreSync')).toMatchObject({ place: { phase: 'PreSync', wave: 0 } })
    expect(placed('PostSync')).toMatchObject({ place: { phase: 'PostSync' } })
    expect(placed('Skip')).toBeUndefined()
  })
  it('of other times is refused', () =>
    expect(buildOrder([map('a'), wait({ [HOOK]: 'SyncFail' })])).toMatchObject({
      ok: false,
      error: {
        reason: 'InvalidAnnotation',
        message: 'lockstep.dev/Wait w: its hook has value SyncFail; allowed: PreSync, Sync, PostSync',
      },
    }))
  it('is waited for where there is nothing else', () => {
    const { nodes } = graphOf([map('a'), wait({}, { resourceType: 'crd' })])
    expect(nodes.filter((n) => n.type === 'wait')).toEqual([
      {
        type: 'wait',
        id: 'lockstep.dev/Wait//w',
        ask: 'Exists',
        called: 'crd',
        place: { step: 0, phase: 'Sync', wave: 0 },
        target: { group: '', kind: 'crd', name: '' },
        why: 'lockstep.dev/Wait w',
      },
    ])
  })
  it('needs waves of nobody else to be in one', () => {
    const graph = graphOf([map('a'), wait({ [WAVE]: '-1' })])
    expect(edgesOf(graph)).toContain(
      'wave -1 -(argocd.argoproj.io/sync-wave -1 before 0, Applied)-> ConfigMap app/a',
    )
  })
})

describe('a spec of a wait', () => {
  it.each<[JsonObject, string | undefined]>([
    [CLASS, undefined],
    [{ resourceType: 'crd' }, undefined],
    [
      {},
      'spec.resourceType: is missing; write what oc get takes, such as sc or storageclasses.storage.k8s.io',
    ],
    [{ resourceType: 5 }, 'spec.resourceType: is not a text; put it into quotes'],
    [{ resourceType: 'sc', resourceName: 5 }, 'spec.resourceName: is not a text; put it into quotes'],
    [{ application: 'vault' }, undefined],
    [{ application: 5 }, 'spec.application: is not a text; put it into quotes'],
    [
      { application: 'vault', resourceName: 'a' },
      'spec.resourceName: stands beside spec.application; take one of them out',
    ],
  ])('%j', (spec, problem) => expect(waitProblem(wait({}, spec))).toBe(problem))
})
