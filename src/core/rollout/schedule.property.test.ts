import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../../test/arbitrary/decision.ts'
import { scheduleInputs, TARGET } from '../../../test/arbitrary/rollout.ts'
import { amountOf } from './amount.ts'
import { schedule } from './schedule.ts'

it('schedule decides, whatever it is shown', () => {
  decidesAlike(fc.tuple(scheduleInputs, fc.nat()), ([input]) => schedule(input), {
    'the order of units and of entries means nothing': ([input, n], out) => {
      const units = shuffled(input.units, n)
      sameAnswer(out, schedule({ ...input, units, ledger: shuffled(input.ledger, n) }))
    },
    'starts take no more than the room there is': ([input], out) => {
      if (!input.target || input.deleting) return
      const { used, max } = out.budgets.maxUnavailable!
      const asleep = schedule({ ...input, haltedAt: TARGET.revision })
      expect(used).toBeLessThanOrEqual(Math.max(max, asleep.budgets.maxUnavailable!.used))
    },
    'a cluster starts once, has one entry, and is not withdrawn at the same time': (_, out) => {
      for (const list of [out.start, out.ledger])
        expect(new Set(list.map((x) => x.cluster)).size).toBe(list.length)
      for (const s of out.start) expect(out.withdraw).not.toContain(s.cluster)
    },
    'nothing starts through a closed gate, and nothing while it is halted': ([input], out) => {
      const gateOf = new Map(input.units.map((u) => [u.cluster, u.gate]))
      for (const s of out.start) expect(gateOf.get(s.cluster)).toEqual([])
      if (out.phase === 'Halted') expect(out.start).toEqual([])
    },
    'at most ten blockers, and a time to look again that is to come': (_, out) => {
      expect(out.blockers.length).toBeLessThanOrEqual(10)
      if (out.wakeInMs !== undefined) expect(out.wakeInMs).toBeGreaterThan(0)
    },
  })
})

it('an amount is from nothing to all clusters, whatever is written', () => {
  const percent = fc.nat(300).map((n) => `${n}%`)
  const value = fc.oneof(fc.integer(), fc.double(), fc.string(), percent)
  decidesAlike(fc.tuple(value, fc.nat(1000), fc.boolean()), (args) => amountOf(...args), {
    'within its limits': ([text, total, atLeastOne], amount) => {
      expect(amount).toBeGreaterThanOrEqual(0)
      expect(amount).toBeLessThanOrEqual(Math.max(total, atLeastOne && String(text).endsWith('%') ? 1 : 0))
    },
  })
})
