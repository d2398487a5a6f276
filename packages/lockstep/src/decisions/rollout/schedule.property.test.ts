import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scheduleInputs, TARGET } from '../../../../../test/arbitrary/arbitraryrollout.ts'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import { amountOf } from './budgets/amount.ts'
import type { DisruptionBudgetView } from './budgets/disruption.ts'
import { schedule } from './schedule.ts'
import type { ScheduleInput, ScheduleOutput, UnitStart, UnitView } from './types.ts'

/** In no total: what is there is out of reach. */
const NOWHERE = new Set(['Absent', 'Deleting', 'IdentityChanged', 'Provisioning'])

const unitsOf = ({ units }: ScheduleInput): Map<string, UnitView> => new Map(units.map((u) => [u.cluster, u]))

/** Those that move to the target: pins, leaving and re-verifying have rules of their own. */
const moves = (out: ScheduleOutput): UnitStart[] =>
  out.start.filter((s) => s.kind === 'Install' || s.kind === 'Update')

it('schedule decides, whatever it is shown', () => {
  decidesAlike(fc.tuple(scheduleInputs, fc.nat()), ([input]) => schedule(input), {
    'the order of units, entries and approvals means nothing (I30)': ([input, n], out) => {
      const asked = {
        units: shuffled(input.units, n),
        ledger: shuffled(input.ledger, n),
        stages: shuffled(input.stages, n),
        approvals: shuffled(input.approvals, n),
        budgets: shuffled(input.budgets ?? [], n).map((b) => ({
          ...b,
          ledger: shuffled(b.ledger, n),
          disrupted: new Set(shuffled([...b.disrupted], n)),
        })),
      }
      sameAnswer(out, schedule({ ...input, ...asked }))
    },
    'starts take no more than the room there is (I19)': ([input], out) => {
      if (!input.target || input.deleting) return
      const { used, max } = out.budgets.maxUnavailable!
      const asleep = schedule({ ...input, haltedAt: TARGET.revision })
      expect(used).toBeLessThanOrEqual(Math.max(max, asleep.budgets.maxUnavailable!.used))
    },
    'starts disrupt no more clusters than each DisruptionBudget allows (I19)': ([input], out) => {
      for (const b of input.budgets ?? [])
        expect(after(b, out).size).toBeLessThanOrEqual(Math.max(b.max, b.disrupted.size))
    },
    'a start takes all budgets that count its cluster, once; what is only verified takes none (I21, I22)': (
      [input],
      out,
    ) => {
      for (const { cluster, kind, takes = [] } of out.start) {
        const counting = (input.budgets ?? []).filter((b) => b.clusters.has(cluster)).map((b) => b.name)
        expect(takes).toEqual(kind === 'VerifyOnly' ? [] : counting.sort())
      }
    },
    'nobody waits for a budget that has room, but for ten seconds of somebody else (I28)': ([input], out) => {
      for (const b of (input.budgets ?? []).filter((x) => out.awaited.includes(x.name))) {
        const isTurn = b.waiters.length > 0 && b.waiters[0]!.module !== input.module && b.freeMs < 10_000
        expect(isTurn || b.problem !== undefined || after(b, out).size >= b.max).toBe(true)
      }
      expect(out.awaited.length > 0).toBe(out.blockers.some((x) => x.reason === 'DisruptionBudget'))
    },
    'of those that take the same budget, the first in order start first (I29)': ([input]) => {
      const open = { ...input, policy: { ...input.policy, ...WIDE } }
      const all = schedule({ ...open, budgets: [] })
      if (all.blockers.some((b) => b.reason === 'RolloutLimit')) return
      const free = new Set(starts(schedule({ ...open, budgets: [one(input, 0)] })))
      const costly = starts(all).filter((c) => !free.has(c))
      const some = new Set(starts(schedule({ ...open, budgets: [one(input, 2)] })))
      expect(costly.filter((c) => some.has(c))).toEqual(costly.slice(0, 2))
    },
    'a cluster starts once, has one entry, and is not withdrawn at the same time (I21)': (_, out) => {
      for (const list of [out.start, out.ledger])
        expect(new Set(list.map((x) => x.cluster)).size).toBe(list.length)
      for (const s of out.start) expect(out.withdraw).not.toContain(s.cluster)
    },
    'what is assigned and not admitted keeps its entry until its record is gone, or moves on in its slot': (
      [input],
      out,
    ) => {
      const kept = new Set(out.ledger.map((e) => e.cluster))
      const moved = new Set(out.start.map((s) => s.cluster))
      for (const e of input.ledger) {
        const unit = unitsOf(input).get(e.cluster)
        if (e.kind === 'Remove' || !unit || unit.recordRevision !== e.revision) continue
        if (unit.admittedRevision === e.revision || NOWHERE.has(unit.clusterState)) continue
        if (e.failed !== undefined && e.revision !== input.target?.revision) continue
        if (unit.leaving || (!unit.selected && !unit.present) || unit.clusterState === 'Refused') continue
        if (!unit.selected && unit.clusterState !== 'Connected') continue
        expect([e.cluster, kept.has(e.cluster) || moved.has(e.cluster)]).toEqual([e.cluster, true])
      }
    },
    'nothing starts through a closed gate, and nothing while it is halted or held (I23, I24)': (
      [input],
      out,
    ) => {
      const units = unitsOf(input)
      for (const s of out.start) {
        const unit = units.get(s.cluster)!
        // Admitted before its record was taken back: it gets that again.
        const isThere = unit.admittedRevision === s.revision && unit.recordRevision !== s.revision
        if (s.revision === undefined) expect(unit.dependants).toEqual([])
        else if (!isThere || s.kind === 'Rebind') expect(unit.at(s.revision).gate).toEqual([])
        expect(unit.hold?.action === 'Pause' && s.kind !== 'Remove').toBe(false)
      }
      if (out.phase === 'Paused') expect(out.start).toEqual([])
      if (out.phase === 'Halted') expect(out.start.filter((s) => s.revision === TARGET.revision)).toEqual([])
    },
    'nothing moves to the target in a stage whose predecessors are not complete (I20)': ([input], out) => {
      if (input.policy.strategy !== 'Staged' || input.rollbackCause) return
      const closed = new Set<string>()
      let isComplete = true
      for (const { name, completedAt } of out.stages) {
        if (!isComplete) closed.add(name)
        isComplete &&= completedAt !== undefined
      }
      const stageOf = new Map(out.ledger.map((e) => [e.cluster, e.stage]))
      const isDemanded = (cluster: string): boolean =>
        unitsOf(input).get(cluster)!.at(TARGET.revision).demanded === true
      for (const s of moves(out))
        if (s.revision === TARGET.revision && !isDemanded(s.cluster))
          expect(closed.has(stageOf.get(s.cluster)!)).toBe(false)
    },
    'what goes back before its turn has all consents on the way to it (I24)': ([input], out) => {
      if (input.policy.strategy !== 'Staged' || input.rollbackCause || input.completedAt === TARGET.revision)
        return
      const stageOf = new Map(out.ledger.map((e) => [e.cluster, e.stage]))
      const isGiven = (stage: string, point: 'Before' | 'After'): boolean =>
        input.approvals.some(
          (a) =>
            a.stage === stage &&
            a.point === point &&
            a.revisionHash === TARGET.revision &&
            out.early.includes(a.name),
        )
      const policyOf = (name: string) => input.policy.stages?.find((s) => s.name === name.split('/')[0])
      for (const s of moves(out)) {
        const turn = out.stages.findIndex((x) => x.name === stageOf.get(s.cluster))
        const before = out.stages.slice(0, Math.max(0, turn))
        if (s.revision !== TARGET.revision || before.every((x) => x.completedAt !== undefined)) continue
        for (const { name, completedAt } of before)
          if (policyOf(name)?.approval === 'Required' && completedAt === undefined)
            expect(isGiven(name, 'After')).toBe(true)
      }
    },
    'what is only bound anew stays at its revision, and was assigned to it': ([input], out) => {
      for (const s of out.start.filter((x) => x.kind === 'Rebind')) {
        const unit = unitsOf(input).get(s.cluster)!
        expect([unit.recordRevision, unit.admittedRevision]).toEqual([s.revision, s.revision])
        expect(unit.at(s.revision!).rebinds).toBe(true)
      }
    },
    'a stage that needs consent has it, or is not passed (I24)': ([input], out) => {
      if (input.policy.strategy !== 'Staged' || input.rollbackCause || input.completedAt === TARGET.revision)
        return
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

/** Clusters of a budget that are disrupted once what starts has started. */
const after = ({ name, disrupted }: DisruptionBudgetView, { start }: ScheduleOutput): Set<string> =>
  new Set([...disrupted, ...start.flatMap((s) => (s.takes?.includes(name) ? [s.cluster] : []))])

const starts = ({ start }: ScheduleOutput): string[] =>
  start.filter((s) => s.kind !== 'VerifyOnly').map((s) => s.cluster)

/** Nothing but a budget keeps anybody waiting. */
const WIDE = { strategy: 'Replace', maxUnavailable: '100%', maxNew: undefined, stages: undefined } as const

/** A budget over all clusters, with so much room beside those that are disrupted already. */
function one({ units, ledger }: ScheduleInput, room: number): DisruptionBudgetView {
  const isMoving = (u: UnitView): boolean =>
    u.leaving || (u.recordRevision !== undefined && u.recordRevision !== u.admittedRevision)
  const isDown = (u: UnitView): boolean => u.admittedRevision !== undefined && !u.healthy
  const there = units.filter((u) => isMoving(u) || isDown(u)).map((u) => u.cluster)
  const disrupted = new Set([...there, ...ledger.map((e) => e.cluster)])
  const max = disrupted.size + room
  return {
    name: 'one',
    clusters: new Set(units.map((u) => u.cluster)),
    disrupted,
    max,
    ledger: [],
    waiters: [],
    freeMs: 0,
    problem: undefined,
  }
}

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
  const budgets = (input.budgets ?? []).map((b) => ({ ...b, disrupted: after(b, out) }))
  return { ...input, budgets, units, ledger, haltedAt, stages, clocks, soaks, elapsedMs: 0, retry: false }
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
