import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../../kube/src/object/index.ts'
import { waitsForApplications } from './waitsforapplications.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const HOOK = 'argocd.argoproj.io/hook'
const object = (kind: string, name: string, annotations: JsonObject = {}): JsonObject => ({
  ...(kind === 'Wait' ? { apiVersion: 'lockstep.dev/v1alpha1' } : { apiVersion: 'v1' }),
  kind,
  metadata: { name, annotations },
})
const app = (name: string, wave?: string) =>
  object('Module', name, wave === undefined ? {} : { [WAVE]: wave })
const waits = (applications: readonly JsonObject[], others: readonly JsonObject[]) =>
  waitsForApplications(applications, others).map((w) => [
    (w.spec as JsonObject).application,
    ((w.metadata as JsonObject).annotations as JsonObject)[WAVE],
  ])

describe('what a group waits for', () => {
  it.each<[string, JsonObject[], unknown[]]>([
    ['what is in a later wave', [object('ConfigMap', 'a', { [WAVE]: '6' })], [['vault', '5']]],
    ['nothing in its own', [object('ConfigMap', 'a', { [WAVE]: '5' })], []],
    ['nothing that is in none', [object('ConfigMap', 'a')], []],
    ['a hook of a later wave', [object('Job', 'a', { [HOOK]: 'Sync', [WAVE]: '6' })], [['vault', '5']]],
    ['a hook after all', [object('Job', 'a', { [HOOK]: 'PostSync' })], [['vault', '5']]],
    ['no hook before all', [object('Job', 'a', { [HOOK]: 'PreSync', [WAVE]: '6' })], []],
    ['no wait: nothing of it is applied', [object('Wait', 'a', { [WAVE]: '6' })], []],
  ])('%s', (_, others, expected) => expect(waits([app('vault', '5')], others)).toEqual(expected))

  it('those that somebody has put into a wave, which is 0 where it is no number', () => {
    const last = [object('ConfigMap', 'a', { [WAVE]: '3' })]
    const all = [app('none'), app('first', 'first'), app('early', '-2'), app('late', '4')]
    expect(waits(all, last)).toEqual([
      ['first', '0'],
      ['early', '-2'],
    ])
  })

  it('is called by it', () => {
    const [wait] = waitsForApplications([app('vault', '5')], [object('ConfigMap', 'a', { [WAVE]: '6' })])
    expect(wait).toEqual({
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Wait',
      metadata: { name: 'application-vault', annotations: { [WAVE]: '5' } },
      spec: { application: 'vault', asked: 'application vault' },
    })
  })
})
