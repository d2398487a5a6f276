import { describe, expect, it } from 'vitest'
import type { ResourceSetStatus } from '../../api/kinds/clusterresourceset/status.ts'
import {
  type ConditionPlacement,
  conditionIn,
  placeConditions,
  resetPaused,
  withoutOurs,
} from './conditionplacement.ts'

const now = '2026-01-01T00:00:00Z'
const later = '2026-01-01T00:01:00Z'
const condition = (type: string, status: 'True' | 'False' = 'True', reason = 'Because') => ({
  type,
  status,
  reason,
  message: '',
})
const input = (more: Partial<ConditionPlacement> = {}): ConditionPlacement => ({
  version: 'v1beta2',
  isLegacyServed: true,
  keepsNewer: true,
  generation: 2,
  now,
  conditions: [condition('ResourcesApplied'), condition('Ready')],
  legacy: [
    { type: 'ResourcesApplied', status: 'True' },
    { type: 'Ready', status: 'True' },
  ],
  ...more,
})
const at = <T>(c: T, lastTransitionTime = now) => ({ ...c, lastTransitionTime })
const paused = at(condition('Paused'))

describe('conditions', () => {
  it('before Cluster API 1.9 are of the older kind alone: the others would be dropped, and written for ever', () => {
    const old = input({ version: 'v1beta1', keepsNewer: false })
    const next = placeConditions(undefined, old)
    expect(next).toEqual({ observedGeneration: 2, conditions: old.legacy.map((c) => at(c)) })
    expect(placeConditions(next, { ...old, now: later })).toBe(next)
    expect(conditionIn('v1beta1', next, 'Ready')).toMatchObject({ status: 'True' })
    expect(withoutOurs('v1beta1', next, false)).not.toHaveProperty('v1beta2')
  })

  it('in v1beta2 stand at the top, those of v1beta1 that Cluster API has below', () => {
    expect(placeConditions(undefined, input())).toEqual({
      observedGeneration: 2,
      conditions: input().conditions.map((c) => at(c)),
      deprecated: { v1beta1: { conditions: [at({ type: 'ResourcesApplied', status: 'True' })] } },
    })
    expect(placeConditions(undefined, input({ isLegacyServed: false }))).toEqual({
      observedGeneration: 2,
      conditions: input().conditions.map((c) => at(c)),
    })
  })

  it('in v1beta1 stand below, and its own at the top', () => {
    expect(placeConditions(undefined, input({ version: 'v1beta1' }))).toEqual({
      observedGeneration: 2,
      conditions: input().legacy.map((c) => at(c)),
      v1beta2: { conditions: input().conditions.map((c) => at(c)) },
    })
  })

  it.each(['v1beta1', 'v1beta2'] as const)(
    'of others stay, and one that is out of date goes: %s',
    (version) => {
      const there = [paused, at(condition('lockstep.dev/Converged'))]
      const old: ResourceSetStatus =
        version === 'v1beta2' ? { conditions: there } : { v1beta2: { conditions: there } }
      const next = placeConditions(old, input({ version }))
      const conditions = version === 'v1beta2' ? next.conditions : next.v1beta2?.conditions
      expect(conditions?.map((c) => c.type)).toEqual(['Paused', 'ResourcesApplied', 'Ready'])
    },
  )

  it.each(['v1beta1', 'v1beta2'] as const)('that are as they were are not written: %s', (version) => {
    const old = placeConditions({ conditions: [paused] }, input({ version }))
    expect(placeConditions(old, input({ version, now: later }))).toBe(old)
    expect(placeConditions(old, input({ version, now: later, generation: 3 }))).not.toBe(old)
  })

  it('have the time of their last change, in both lists', () => {
    const old = placeConditions(undefined, input())
    const next = placeConditions(
      old,
      input({
        now: later,
        conditions: [condition('ResourcesApplied', 'False'), condition('Ready', 'True', 'Other')],
        legacy: [{ type: 'ResourcesApplied', status: 'False', reason: 'ApplyFailed' }],
      }),
    )
    expect(next.conditions?.map((c) => c.lastTransitionTime)).toEqual([later, now])
    expect(next.deprecated?.v1beta1?.conditions?.map((c) => c.lastTransitionTime)).toEqual([later])
  })
})

describe('when a set is handed back', () => {
  it.each(['v1beta1', 'v1beta2'] as const)('what only we say goes: %s', (version) => {
    const all = [
      'ResourcesApplied',
      'Ready',
      'Reconciling',
      'Stalled',
      'lockstep.dev/Managed',
      'lockstep.dev/Converged',
    ]
    const old = placeConditions(
      undefined,
      input({ version, conditions: [...all.map((t) => condition(t)), paused] }),
    )
    const typesOf = (status: ResourceSetStatus) =>
      [status.conditions, status.v1beta2?.conditions, status.deprecated?.v1beta1?.conditions].flatMap(
        (list) => list?.map((c) => c.type) ?? [],
      )
    expect(typesOf(withoutOurs(version, old, false)).sort()).toEqual([
      'Paused',
      'ResourcesApplied',
      'ResourcesApplied',
    ])
    expect(typesOf(withoutOurs(version, old, true))).toEqual([])
  })

  it('nothing changes where nothing of it is there', () => {
    for (const status of [{}, { conditions: [paused] }]) {
      expect(withoutOurs('v1beta2', status, false)).toBe(status)
      expect(withoutOurs('v1beta1', status, false)).toBe(status)
    }
  })
})

describe('a pause that is asked for anew', () => {
  it.each(['v1beta1', 'v1beta2'] as const)('is not acknowledged by what was said before: %s', (version) => {
    const there = [paused, at(condition('Other'))]
    const old: ResourceSetStatus =
      version === 'v1beta2' ? { conditions: there } : { v1beta2: { conditions: there } }
    const next = resetPaused(version, old, later)
    expect(conditionIn(version, next, 'Paused')).toMatchObject({
      status: 'Unknown',
      lastTransitionTime: later,
    })
    expect(conditionIn(version, next, 'Other')).toEqual(there[1])
    expect(resetPaused(version, next, later)).toBe(next)
    expect(conditionIn(version, withoutOurs(version, next!, false), 'Paused')).toBeUndefined()
  })

  it('changes nothing where nothing was said', () => {
    expect(resetPaused('v1beta2', undefined, now)).toBeUndefined()
    const old = { conditions: [at(condition('Paused', 'False'))] }
    expect(resetPaused('v1beta2', old, now)).toBe(old)
  })
})
