/** What waits for time alone comes to its end by time alone, however often people change how long it is to be. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DONE, entry, run, unit } from '../../../../../test/arbitrary/scheduleinputs.ts'
import { assertProperty } from '../../../../../test/property.ts'
import type { ScheduleOutput } from './types.ts'

const seconds = fc.constantFrom(0, 0, 5, 60)
/** One look at a unit that is well: what is asked for by then, and how sure anybody is of what time it is. */
const look = fc.record({
  minReadySeconds: seconds,
  soakSeconds: seconds,
  lateMs: fc.constantFrom(0, 300, 1999),
  /** Of the time until it is to be looked at again, so much has passed: something else has changed. */
  share: fc.constantFrom(0, 0, 0.5, 0.999, 1),
  /** Our clock ran on while the hub's was set: for the scheduler less than nothing has passed. */
  isSet: fc.constantFrom(false, false, false, true),
})
type Look = typeof look extends fc.Arbitrary<infer T> ? T : never

function decided(before: ScheduleOutput | undefined, asked: Look): ScheduleOutput {
  const { minReadySeconds, soakSeconds, lateMs, share, isSet } = asked
  const { ledger = [entry('a')], stages, clocks, soaks } = before ?? {}
  const elapsedMs = (before?.wakeInMs ?? 0) * share - (isSet ? lateMs : 0)
  return run(
    [unit('a', DONE)],
    { ledger, ...(before ? { stages, clocks, soaks } : {}), elapsedMs, lateMs },
    {
      strategy: 'Staged',
      minReadySeconds,
      stages: [{ name: 'all', clusterSelector: {}, soakSeconds }],
    },
  )
}

it('a unit that is well is done, and its stage complete: each look says when the next one is due', () => {
  assertProperty(
    fc.property(fc.array(look, { minLength: 1, maxLength: 6 }), (looks) => {
      let last: ScheduleOutput | undefined
      for (const x of looks) last = decided(last, x)
      const rest = { ...looks.at(-1)!, share: 1 as const, isSet: false }
      for (let i = 0; i < 10 && last!.phase !== 'Complete'; i++) {
        expect(last!.wakeInMs).toBeGreaterThan(0)
        last = decided(last, rest)
      }
      expect(last).toMatchObject({ phase: 'Complete', ledger: [], wakeInMs: undefined })
    }),
  )
})
