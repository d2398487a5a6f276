import { expect, it } from 'vitest'
import { ORPHAN_RETENTION_MS, orphanStep } from './orphanretention.ts'

const DAY = 86_400_000
const SINCE = '2026-01-01T00:00:00Z'
const then = Date.parse(SINCE)

it.each([
  ['its cluster is there', undefined, true, 0, 'nothing'],
  ['its cluster is back', SINCE, true, 40 * DAY, 'unmark'],
  ['its cluster has just gone', undefined, false, 0, 'mark'],
  ['gone for 29 days', SINCE, false, 29 * DAY, 'keep'],
  ['gone for 30 days', SINCE, false, 30 * DAY, 'remove'],
  ['a mark that nobody can read', 'yesterday', false, 40 * DAY, 'mark'],
  ['a clock that went back', SINCE, false, -DAY, 'keep'],
])('%s', (_, since, isThere, after, step) => {
  expect(orphanStep(since, isThere, then + after, ORPHAN_RETENTION_MS)).toBe(step)
})
