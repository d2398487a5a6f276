import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../../test/arbitrary/decision.ts'
import { scheduleInputs, TARGET } from '../../../test/arbitrary/rollout.ts'
import { amountOf } from './amount.ts'
import { schedule } from './schedule.ts'

describe('schedule, whatever it is shown', () => {
  it('decides, and the order of units and of entries means nothing', () => {
    decidesAlike(
      fc.tuple(scheduleInputs, fc.nat()),
      ([input]) => schedule(input),
      ([input, n], out) => {
        const units = shuffled(input.units, n)
        sameAnswer(out, schedule({ ...input, units, ledger: shuffled(input.ledger, n) }))
      },
    )
  })

  it('starts no more than there is room for, and never twice on one cluster', () => {
    decidesAlike(scheduleInputs, schedule, (input, out) => {
      const { used, max } = out.budgets.maxUnavailable!
      const asleep = schedule({ ...input, target: TARGET, deleting: false, haltedAt: TARGET.revision })
      if (input.target && !input.deleting)
        expect(used).toBeLessThanOrEqual(Math.max(max, asleep.budgets.maxUnavailable!.used))
      for (const list of [out.start, out.ledger])
        expect(new Set(list.map((x) => x.cluster)).size).toBe(list.length)
      for (const s of out.start) expect(out.withdraw).not.toContain(s.cluster)
    })
  })

  it('gives no slot through a closed gate, and none while it is halted', () => {
    decidesAlike(scheduleInputs, schedule, (input, out) => {
      const gateOf = new Map(input.units.map((u) => [u.cluster, u.gate]))
      for (const s of out.start) expect(gateOf.get(s.cluster)).toEqual([])
      if (out.phase === 'Halted') expect(out.start).toEqual([])
      expect(out.blockers.length).toBeLessThanOrEqual(10)
      if (out.wakeInMs !== undefined) expect(out.wakeInMs).toBeGreaterThan(0)
    })
  })
})

describe('an amount of clusters', () => {
  it('is from nothing to all of them, whatever is written', () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.nat(300).map((n) => `${n}%`),
    )
    decidesAlike(
      fc.tuple(value, fc.nat(1000), fc.boolean()),
      (args) => amountOf(...args),
      ([text, total, atLeastOne], amount) => {
        expect(amount).toBeGreaterThanOrEqual(0)
        expect(amount).toBeLessThanOrEqual(Math.max(total, atLeastOne && String(text).endsWith('%') ? 1 : 0))
      },
    )
  })
})
