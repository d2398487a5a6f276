import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../../test/arbitrary/decision.ts'
import { scheduleInputs, TARGET } from '../../../test/arbitrary/rollout.ts'
import { amountOf } from './amount.ts'
import { schedule } from './schedule.ts'
import type { ScheduleInput, ScheduleOutput, Start, UnitView } from './types.ts'

const unitsOf = ({ units }: ScheduleInput): Map<string, UnitView> => new Map(units.map((u) => [u.cluster, u]))

/** Those that move to the target: pins, leaving and re-verifying have rules of their own. */
const moves = (out: ScheduleOutput): Start[] =>
  out.start.filter((s) => s.kind === 'Install' || s.kind === 'Update')

it('schedule decides, whatever it is shown', () => {
  decidesAlike(fc.tuple(scheduleInputs, fc.nat()), ([input]) => schedule(input), {
    'the order of units, entries and approvals means nothing (I30)': ([input, n], out) => {
      const asked = {
        units: shuffled(input.units, n),
        ledger: shuffled(input.ledger, n),
        stages: shuffled(input.stages, n),
        approvals: shuffled(input.approvals, n),
      }
      sameAnswer(out, schedule({ ...input, ...asked }))
    },
    'starts take no more than the room there is (I19)': ([input], out) => {
      if (!input.target || input.deleting) return
      const { used, max } = out.budgets.maxUnavailable!
      const asleep = schedule({ ...input, haltedAt: TARGET.revision })
      expect(used).toBeLessThanOrEqual(Math.max(max, asleep.budgets.maxUnavailable!.used))
    },
    'a cluster starts once, has one entry, and is not withdrawn at the same time (I21)': (_, out) => {
      for (const list of [out.start, out.ledger])
        expect(new Set(list.map((x) => x.cluster)).size).toBe(list.length)
      for (const s of out.start) expect(out.withdraw).not.toContain(s.cluster)
    },
    'nothing starts through a closed gate, and nothing while it is halted or held (I23, I24)': (
      [input],
      out,
    ) => {
      const units = unitsOf(input)
      for (const s of out.start) {
        const unit = units.get(s.cluster)!
        expect(s.revision === undefined ? unit.dependants : unit.at(s.revision).gate).toEqual([])
        expect(unit.hold?.action === 'Pause' && s.kind !== 'Remove').toBe(false)
      }
      if (out.phase === 'Paused') expect(out.start).toEqual([])
      if (out.phase === 'Halted') expect(out.start.filter((s) => s.revision === TARGET.revision)).toEqual([])
    },
    'nothing moves to the target in a stage whose predecessors are not complete (I20)': ([input], out) => {
      if (input.policy.strategy !== 'Staged' || input.back) return
      const closed = new Set<string>()
      let isComplete = true
      for (const { name, completedAt } of out.stages) {
        if (!isComplete) closed.add(name)
        isComplete &&= completedAt !== undefined
      }
      const stageOf = new Map(out.ledger.map((e) => [e.cluster, e.stage]))
      for (const s of moves(out))
        if (s.revision === TARGET.revision) expect(closed.has(stageOf.get(s.cluster)!)).toBe(false)
    },
    'what is only bound anew stays at its revision, and was assigned to it': ([input], out) => {
      for (const s of out.start.filter((x) => x.kind === 'Rebind')) {
        const unit = unitsOf(input).get(s.cluster)!
        expect([unit.recordRevision, unit.admittedRevision]).toEqual([s.revision, s.revision])
        expect(unit.at(s.revision!).rebinds).toBe(true)
      }
    },
    'a stage that needs consent has it, or is not passed (I24)': ([input], out) => {
      if (input.policy.strategy !== 'Staged' || input.back || input.completedAt === TARGET.revision) return
      for (const { name, completedAt } of out.stages) {
        const policy = input.policy.stages?.find((s) => s.name === name)
        if (policy?.approval !== 'Required' || completedAt === undefined) continue
        // Consent to what had passed before may have been taken back since.
        const known = input.stages.find((s) => s.name === name)
        if (known?.completedAt !== undefined && known.approvedBy !== undefined) continue
        const given = input.approvals.filter((a) => a.stage === name && a.point === 'After')
        expect(given.map((a) => a.revisionHash)).toContain(TARGET.revision)
      }
    },
    'asked again with its own starts written down, it starts nothing more (I33)': ([input], out) => {
      // Where somebody has deleted the record of what is there, writing it again shows at once how it is.
      const isLost = (u: UnitView): boolean =>
        u.admittedRevision === TARGET.revision && u.recordRevision !== TARGET.revision
      if (input.units.some(isLost)) return
      const again = schedule(written(input, out))
      // What was taken back may be given something else then.
      expect(again.start.filter((s) => !out.withdraw.includes(s.cluster))).toEqual([])
    },
    'at most ten blockers, and a time to look again that is to come': (_, out) => {
      expect(out.blockers.length).toBeLessThanOrEqual(10)
      if (out.wakeInMs !== undefined) expect(out.wakeInMs).toBeGreaterThan(0)
    },
    'each selected cluster is counted once (I14)': (_, { counters }) => {
      const { total, updated, ...parts } = counters
      expect(Object.values(parts).reduce((a, b) => a + b, 0)).toBe(total)
      expect(updated).toBeLessThanOrEqual(total)
    },
  })
})

/** The world after a decision: its ledger, its stages, and the records that it asked for. */
function written(input: ScheduleInput, out: ScheduleOutput): ScheduleInput {
  const starts = new Map(out.start.map((s) => [s.cluster, s]))
  const units = input.units.map((u): UnitView => {
    const start = starts.get(u.cluster)
    if (!start) return out.withdraw.includes(u.cluster) ? { ...u, recordRevision: undefined } : u
    return start.kind === 'Remove'
      ? { ...u, leaving: true, recordRevision: undefined }
      : {
          ...u,
          recordRevision: start.revision,
          present: true,
          at: (revision) => ({
            ...u.at(revision),
            rebinds: revision !== start.revision && u.at(revision).rebinds === true,
          }),
        }
  })
  const { ledger, haltedAt, stages, clocks, soaks } = out
  return { ...input, units, ledger, haltedAt, stages, clocks, soaks, elapsedMs: 0, retry: false }
}

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
