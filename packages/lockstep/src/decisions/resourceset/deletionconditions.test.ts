import { expect, it } from 'vitest'
import { replaceConditions } from './conditionplacement.ts'
import { deletionConditions } from './deletionconditions.ts'

const NOW = '2026-01-01T00:00:00Z'
const at = { lastTransitionTime: NOW }

it('names the clusters that keep it, and what frees it; ten of them', () => {
  const [ready] = deletionConditions(['c3', 'c7'], undefined, 2)
  expect(ready).toEqual({
    type: 'Ready',
    status: 'False',
    reason: 'ClusterUnreachable',
    observedGeneration: 2,
    message: 'c3, c7: bring back, or annotate with lockstep.dev/deletion-policy: Orphan: objects then stay',
  })
  const many = Array.from({ length: 12 }, (_, i) => `c${i}`)
  expect(deletionConditions(many, undefined, 2)[0]!.message).toContain('c9 and 2 more: bring back')
})

it.each(['v1beta1', 'v1beta2'] as const)('%s: what was applied stays said', (version) => {
  const applied = { type: 'ResourcesApplied', status: 'True', reason: 'Applied', message: '', ...at } as const
  const ready = { type: 'Ready', status: 'True', reason: 'Applied', message: '', ...at } as const
  const both = [applied, ready]
  const old =
    version === 'v1beta2' ? { conditions: both } : { conditions: both, v1beta2: { conditions: both } }
  const status = replaceConditions(version, old, deletionConditions(['c3'], undefined, 2), NOW)
  const newer = version === 'v1beta2' ? status.conditions : status.v1beta2?.conditions
  for (const list of [newer, status.conditions]) {
    expect(list).toContainEqual(applied)
    expect(list?.filter((c) => c.type === 'Ready')).toMatchObject([
      { status: 'False', reason: 'ClusterUnreachable' },
    ])
  }
  expect(replaceConditions(version, status, deletionConditions(['c3'], undefined, 2), 'later')).toBe(status)
})
