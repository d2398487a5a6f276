import { expect, it } from 'vitest'
import { replaceConditions } from './conditionplacement.ts'
import { CONVERGED } from './convergence.ts'
import { deletionConditions } from './deletionconditions.ts'

const NOW = '2026-01-01T00:00:00Z'
const at = { lastTransitionTime: NOW }
const failed = { reason: 'RemovalFailed', message: '1 of 3 clusters, limit 1: c1: denied' }
const waits = { reason: 'DependentsRemain', message: 'waiting for dependent crs2 on c2' }

const textsOf = (isStuck: boolean) =>
  deletionConditions([failed, waits], isStuck, 2).map(
    (c) => `${c.type} ${c.status} ${c.reason}: ${c.message}`,
  )

it('all blockers of its Module, and the first gives the reason', () => {
  const text = `${failed.reason}: ${failed.message}; ${waits.reason}: ${waits.message}`
  expect(textsOf(false)).toEqual([
    `${CONVERGED} False ${text}`,
    `Ready False ${text}`,
    `Reconciling True ${text}`,
    'Stalled False NotStalled: ',
  ])
  expect(textsOf(true).slice(2)).toEqual(['Reconciling False NotReconciling: ', `Stalled True ${text}`])
  expect(deletionConditions([], false, 2)[1]).toMatchObject({ reason: 'Deleting', observedGeneration: 2 })
})

it.each(['v1beta1', 'v1beta2'] as const)('%s: what was applied stays said', (version) => {
  const applied = { type: 'ResourcesApplied', status: 'True', reason: 'Applied', message: '', ...at } as const
  const ready = { type: 'Ready', status: 'True', reason: 'Applied', message: '', ...at } as const
  const both = [applied, ready]
  const old =
    version === 'v1beta2' ? { conditions: both } : { conditions: both, v1beta2: { conditions: both } }
  const status = replaceConditions(version, old, deletionConditions([failed], false, 2), NOW)
  const newer = version === 'v1beta2' ? status.conditions : status.v1beta2?.conditions
  for (const list of [newer, status.conditions]) {
    expect(list).toContainEqual(applied)
    expect(list?.filter((c) => c.type === 'Ready')).toMatchObject([
      { status: 'False', reason: 'RemovalFailed' },
    ])
  }
  expect(replaceConditions(version, status, deletionConditions([failed], false, 2), 'later')).toBe(status)
})
