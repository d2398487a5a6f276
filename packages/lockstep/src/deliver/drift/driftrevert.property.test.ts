import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { Drift } from './drift.ts'
import { afterDriftRevert, type DriftReverts, delayedDriftRevert } from './driftrevert.ts'

const MINUTE = 60_000

const drift = (path: string, manager: string | undefined): Drift => ({
  id: 'x',
  ref: { group: '', version: 'v1', kind: 'ConfigMap', name: 'x' },
  what: 'Fields',
  fields: [{ path, manager }],
})

const edits = fc.array(
  fc.record({
    afterMs: fc.constantFrom(0, 1, 3000, 9999, 10_000, 11_000, 5 * MINUTE, 9 * MINUTE, 25 * MINUTE),
    path: fc.constantFrom('.a', '.b'),
    manager: fc.constantFrom('hpa', 'hpa', 'kubectl', undefined),
  }),
  { maxLength: 60 },
)
type Edits = typeof edits extends fc.Arbitrary<infer T> ? T : never

/** Each edit stands until it may be put right; what came meanwhile is put right with it. */
function play(list: Edits) {
  let repairs: DriftReverts | undefined
  let now = 0
  const done: { readonly at: number; readonly field: string; readonly isFought: boolean }[] = []
  for (const { afterMs, path, manager } of list) {
    now += afterMs
    const d = drift(path, manager)
    const held = delayedDriftRevert(repairs, d, now, 'c1')
    if (held) now = held.retryAt
    expect(delayedDriftRevert(repairs, d, now, 'c1')).toBeUndefined()
    done.push({ at: now, field: `${path} ${manager}`, isFought: held?.blocker.reason === 'FieldFight' })
    repairs = afterDriftRevert(repairs, d, now)
  }
  return done
}

it('an object is put right seldom enough, however often it is changed', () => {
  decidesAlike(edits, play, {
    'once in 10 s': (_, done) => {
      for (const [i, r] of done.entries())
        if (i > 0) expect(r.at - done[i - 1]!.at).toBeGreaterThanOrEqual(10_000)
    },
    'a field from the same manager 4 times in 10 min at most, and in a fight once': (_, done) => {
      for (const r of done) {
        const same = done.filter((o) => o.field === r.field && o.at <= r.at && r.at - o.at < 10 * MINUTE)
        if (!r.field.endsWith('undefined')) expect(same.length).toBeLessThanOrEqual(4)
        if (r.isFought) expect(same.length).toBe(1)
      }
    },
    'nobody is accused who did nothing': (_, done) => {
      for (const r of done) if (r.field.endsWith('undefined')) expect(r.isFought).toBe(false)
    },
  })
})

it('a fight is over once the field was left alone for long enough', () => {
  let repairs: DriftReverts | undefined
  for (let i = 0; i < 4; i++) repairs = afterDriftRevert(repairs, drift('.a', 'hpa'), i * 10_000)
  expect(delayedDriftRevert(repairs, drift('.a', 'hpa'), 60_000, 'c1')?.blocker.reason).toBe('FieldFight')
  expect(delayedDriftRevert(repairs, drift('.a', 'kubectl'), 60_000, 'c1')).toBeUndefined()
  expect(delayedDriftRevert(repairs, drift('.b', 'hpa'), 60_000, 'c1')).toBeUndefined()
  const later = afterDriftRevert(repairs, drift('.a', 'hpa'), 40 * MINUTE)
  expect(delayedDriftRevert(later, drift('.a', 'hpa'), 40 * MINUTE + 10_000, 'c1')).toBeUndefined()
})
