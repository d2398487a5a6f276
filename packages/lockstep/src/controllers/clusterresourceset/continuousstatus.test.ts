import { expect, it } from 'vitest'
import { CHECK_OVERDUE, DRIFT_DETECTION } from '../../api/conditions.ts'
import { convergenceOf } from './continuousstatus.ts'

const WORDS = { namespace: 'platform', module: 'crs-own', setOfModule: () => undefined }
const AT = '2026-01-01T00:00:00Z'
const late = {
  type: DRIFT_DETECTION,
  status: 'Unknown' as const,
  reason: CHECK_OVERDUE,
  message: 'configmaps: …',
  lastTransitionTime: AT,
}
const unit = (state: 'Ready' | 'Delivering', reason: string) => ({
  status: { state, conditions: [{ ...late, reason }] },
})

it('where what cannot be watched was not listed in time, nobody knows of drift: that is said of what else is well', () => {
  expect(convergenceOf(unit('Ready', CHECK_OVERDUE), true, WORDS)).toEqual({
    state: 'CheckOverdue',
    message: 'configmaps: …',
  })
  expect(convergenceOf(unit('Ready', 'Polling'), true, WORDS)).toEqual({ state: 'InSync' })
  expect(convergenceOf(unit('Delivering', CHECK_OVERDUE), true, WORDS)).toEqual({ state: 'Updating' })
  expect(convergenceOf(unit('Ready', CHECK_OVERDUE), false, WORDS)).toEqual({ state: 'Updating' })
})
