/** Statuses that are not as they should be. */
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { kindRules } from '../rules/kindrules.ts'
import type { HealthProfile } from '../state/healthstate.ts'
import { healthOf } from './health.ts'

const PROFILES: readonly HealthProfile[] = ['Lockstep', 'Argo', 'KStatus']
const object = (apiVersion: string, kind: string, status: unknown, metadata: object = {}): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'x', generation: 2, ...metadata }, status }) as unknown as KubeObject
const widget = (status: unknown) => healthOf(object('example.com/v1', 'Widget', status), 0)
const condition = (type: string, status: unknown, more: object = {}) => ({
  conditions: [{ type, status, ...more }],
})

/** One object of each entry of the table. */
const everyKind = kindRules.map(({ group, kinds }) => ({
  apiVersion: `${group.replace('*.', 'a.')}/v1`,
  kind: kinds === '*' ? 'Thing' : kinds[0]!,
}))

describe('of every kind that there are rules for', () => {
  const nothing: readonly unknown[] = [
    undefined,
    null,
    'Ready',
    ['Ready'],
    7,
    { conditions: null },
    { conditions: {} },
    { conditions: [null, 'Ready', {}] },
  ]
  it.each(nothing)('%j is read like a status that says nothing', (status) => {
    for (const { apiVersion, kind } of everyKind)
      for (const profile of PROFILES) {
        const { state, message } = healthOf(object(apiVersion, kind, status), 0, undefined, profile)
        expect(message).not.toMatch(/^rule \d+ of/)
        expect(message.trim() !== '' || state === 'Healthy', `${kind}: ${state} without a word`).toBe(true)
      }
  })
  it('what is not healthy says something, though the object does not', () => {
    for (const { group, kinds, rules } of kindRules)
      for (const { when } of rules)
        for (const word of when?.path?.startsWith('status.') ? (when.in ?? []) : []) {
          const path = when!.path!.split('.').slice(1)
          const status = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), word)
          const kind = kinds === '*' ? 'Thing' : kinds[0]!
          const o = object(`${group.replace('*.', 'a.')}/v1`, kind, status)
          const { state, message } = healthOf(o, 0)
          expect(message.trim() !== '' || state === 'Healthy', `${kind} ${when!.path}=${word}`).toBe(true)
        }
  })
  it('a null within is absent', () => {
    const parents = [{ parentRef: { name: 'edge' }, conditions: null }]
    const route = object('gateway.networking.k8s.io/v1', 'HTTPRoute', { parents })
    const message = 'Waiting for Parent edge to update HTTPRoute status'
    expect(healthOf(route, 0)).toMatchObject({ state: 'Progressing', message })
  })
  it('what is of another type is Unknown, and names the rule', () => {
    const route = object('gateway.networking.k8s.io/v1', 'HTTPRoute', { parents: 'edge' })
    expect(healthOf(route, 0)).toMatchObject({
      state: 'Unknown',
      message: expect.stringMatching(/^rule 3 of /),
    })
  })
  it('what is being deleted is not healthy', () => {
    for (const { apiVersion, kind } of everyKind)
      for (const profile of PROFILES) {
        const gone = object(apiVersion, kind, condition('Ready', 'True'), {
          deletionTimestamp: '2026-01-01T00:00:00Z',
        })
        expect(healthOf(gone, 0, undefined, profile).state).toBe('Progressing')
      }
  })
})

describe('a status that is true or false instead of a text', () => {
  const keycloak = (status: unknown) =>
    healthOf(object('k8s.keycloak.org/v2alpha1', 'Keycloak', condition('Ready', status)), 0).state
  it('is read as it is meant', () => {
    expect([true, false, 'True', 'False'].map(keycloak)).toEqual([
      'Healthy',
      'Progressing',
      'Healthy',
      'Progressing',
    ])
  })
})

describe('by conventions', () => {
  const cases: readonly (readonly [what: string, status: object, state: string, message: string])[] = [
    ['a status nobody knows is waited for', condition('Ready', 'Maybe'), 'Progressing', 'Ready is Maybe'],
    ['a condition without a status too', condition('Ready', undefined), 'Progressing', 'Ready is '],
    ['NotReady that is false is no part that is not ready', condition('NotReady', 'False'), 'Healthy', ''],
    ['NotReady that is true is', condition('NotReady', 'True'), 'Degraded', 'NotReady is True'],
    ['Stalled needs no text', condition('Stalled', 'True'), 'Degraded', 'Stalled is True'],
    ['Reconciling neither', condition('Reconciling', 'True'), 'Progressing', 'Reconciling is True'],
    [
      'a failure of an older generation is none of this one',
      condition('Failed', 'True', { observedGeneration: 1 }),
      'Progressing',
      'Failed is about an older generation',
    ],
    [
      'what was stalled may go on after a change',
      condition('Stalled', 'True', { observedGeneration: 1 }),
      'Progressing',
      'Stalled is about an older generation',
    ],
    ['a generation that is a text is not compared', { observedGeneration: '1' }, 'Healthy', ''],
    ['a check that passes is not under way', { health: 'passing' }, 'Healthy', ''],
    ['a word of another type says nothing', { phase: 7, state: ['Failed'] }, 'Healthy', ''],
  ]
  it.each(cases)('%s', (_, status, state, message) => {
    expect(widget(status)).toMatchObject({ state, message })
  })
})
