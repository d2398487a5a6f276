import { expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import { SET } from '../../../api/kinds/clusterresourceset/spec.ts'
import { moduleKind, setKind } from '../../../api/kinds/index.ts'
import { lacking } from '../wait/waitgoal.ts'
import { withReportedConditions } from './reportedconditions.ts'

const READY = { type: 'Ready', status: 'True', reason: 'Applied', message: 'applied on 1 of 1 clusters' }
const LEGACY = { type: 'Ready', status: 'False' }
const set = (status: object, annotations = {}) =>
  ({ metadata: { name: 'shop', generation: 2, annotations }, spec: {}, status }) as unknown as Stored
const lacks = (version: string, o: Stored) =>
  lacking({ type: 'ready' }, withReportedConditions({ ...setKind, version }, o))

it.each([2, 1])(
  'each version has the conditions in another place; of generation %i',
  (observedGeneration) => {
    const ready = { ...READY, observedGeneration }
    const said = observedGeneration === 2 ? undefined : 'its last change is not published yet'
    expect(lacks('v1beta2', set({ conditions: [ready] }))).toBe(said)
    expect(lacks('v1beta1', set({ conditions: [LEGACY], v1beta2: { conditions: [ready] } }))).toBe(said)
  },
)

it('one that only Cluster API reconciles never becomes ready, and that is said', () => {
  const said = expect.stringMatching(/^no condition Ready: .*lockstep takeover crs shop/)
  expect(lacks('v1beta2', set({ conditions: [{ ...READY, type: 'ResourcesApplied' }] }))).toEqual(said)
  expect(lacks('v1beta1', set({}))).toEqual(said)
  expect(lacks('v1beta2', set({}, { [SET.managed]: 'true' }))).toBe('not reconciled')
})

it('other kinds stay as they are', () => {
  const module = set({ conditions: [READY] })
  expect(withReportedConditions(moduleKind, module)).toBe(module)
})
