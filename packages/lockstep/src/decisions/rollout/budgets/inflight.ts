import { blocked } from '../../../api/blocker.ts'
import { namedUnit } from '../../graph/index.ts'
import { removalDeadline } from '../removal/removalcounts.ts'
import { isWaitingRemoval } from '../removal/unitremoval.ts'
import type { InFlightEntry, ScheduleInput, UnitClock, UnitView } from '../types.ts'
import { isHeldBack } from '../unitholds.ts'

const STILL: UnitClock = { runMs: 0, readyMs: 0, isRunning: false, isReady: false }

/**
 * Moves the accumulated clocks. Time counts as running, or as ready, only if the unit was so before and is so now; a break
 * in health starts readiness anew. Waiting adds nothing, nor does trying again after a failure: each check of a halted rollout would
 * write a longer time. The first decision of a process adds nothing either: a failover may lengthen a wait, never shorten it.
 */
export function advanceClocks(input: ScheduleInput): Map<string, UnitClock> {
  const next = new Map<string, UnitClock>()
  if (input.ledger.length === 0) return next
  const units = new Map(input.units.map((u) => [u.cluster, u]))
  for (const entry of input.ledger) {
    const before = input.clocks.get(entry.cluster) ?? {
      runMs: entry.runSeconds * 1000,
      readyMs: entry.readySeconds * 1000,
      isRunning: false,
      isReady: false,
    }
    next.set(entry.cluster, advance(before, entry, units.get(entry.cluster), input))
  }
  return next
}

function advance(
  was: UnitClock,
  entry: InFlightEntry,
  unit: UnitView | undefined,
  { elapsedMs, lateMs = 0, policy }: ScheduleInput,
): UnitClock {
  const { unassignedMs: missed, ...known } = was
  const isThere = unit?.recordRevision === entry.revision || unit?.admittedRevision === entry.revision
  const clock: UnitClock =
    isThere || entry.kind === 'Remove'
      ? known
      : { ...known, unassignedMs: missed === undefined ? 0 - lateMs : missed + elapsedMs }
  if (unit?.clusterState !== 'Connected') return { ...clock, isRunning: false, isReady: false }
  const isRemoval = entry.kind === 'Remove'
  const { verified, running: isDeploying } = unit.at(entry.revision)
  const running = isRemoval
    ? unit.removal?.isRunning === true && !isPastDeadline(was, removalDeadline(policy))
    : isDeploying && entry.failed === undefined
  const isReady = !isRemoval && verified && unit.healthy
  return {
    ...clock,
    runMs: clock.runMs + (running ? (clock.isRunning ? elapsedMs : -lateMs) : 0),
    readyMs: isReady ? clock.readyMs + (clock.isReady ? elapsedMs : -lateMs) : 0,
    isRunning: running,
    isReady,
  }
}

const isPastDeadline = ({ runMs }: UnitClock, seconds: number): boolean =>
  seconds > 0 && secondsOf(runMs) >= seconds

export const clockOf = (clocks: ReadonlyMap<string, UnitClock>, cluster: string): UnitClock =>
  clocks.get(cluster) ?? STILL

/** The entry as it is stored: whole seconds, rounded down for readiness and running time alike (never longer than true). */
export function storedEntry(entry: InFlightEntry, clock: UnitClock): InFlightEntry {
  return {
    ...entry,
    runSeconds: secondsOf(clock.runMs),
    readySeconds: secondsOf(clock.readyMs),
  }
}

/** Whole seconds; of what has begun a moment ago none. */
export const secondsOf = (ms: number): number => Math.max(0, Math.floor(ms / 1000))

/**
 * A unit that runs past its deadline, or that failed for good, has failed. The message is what people read. A failed
 * one that became healthy is no longer failed.
 */
export function judge(
  entry: InFlightEntry,
  unit: UnitView | undefined,
  clock: UnitClock,
  input: ScheduleInput,
): InFlightEntry {
  if (entry.kind === 'Remove') return judgeRemoval(entry, unit, clock, input)
  if (!unit || unit.recordRevision !== entry.revision) return entry
  const { module, policy } = input
  const at = unit.at(entry.revision)
  if (at.verified && unit.healthy) return { ...entry, failed: undefined }
  if (at.failure !== undefined) return { ...entry, failed: at.failure }
  if (entry.failed !== undefined) return entry
  const seconds = secondsOf(clock.runMs)
  const limit = policy.progressDeadlineSeconds
  if (limit === 0 || !at.running || seconds < limit) return entry
  const facts = { seconds, limit, lacks: at.lacks }
  const late = blocked('ProgressDeadlineExceeded', [namedUnit(module, entry.cluster)], facts)
  return { ...entry, failed: `${late.reason}: ${late.message}` }
}

/** A refusal fails it until the cluster gives in; the deadline fails it for good. */
function judgeRemoval(
  entry: InFlightEntry,
  unit: UnitView | undefined,
  clock: UnitClock,
  { module, policy }: ScheduleInput,
): InFlightEntry {
  const removal = unit?.removal
  if (!removal) return { ...entry, failed: undefined }
  if (removal.failure !== undefined) return { ...entry, failed: removal.failure }
  const limit = removalDeadline(policy)
  if (limit === 0 || secondsOf(clock.runMs) < limit) return { ...entry, failed: undefined }
  // The same text with each look: what changes is written again.
  const facts = { seconds: limit, limit, lacks: removal.lacks, action: 'Remove' } as const
  const late = blocked('ProgressDeadlineExceeded', [namedUnit(module, entry.cluster)], facts)
  return { ...entry, failed: late.message }
}

/** All entries, judged. A failure of a superseded revision says nothing about the new one. */
export function judgeInFlight(
  input: ScheduleInput,
  clocks: ReadonlyMap<string, UnitClock>,
): Map<string, InFlightEntry> {
  const units = new Map(input.ledger.length === 0 ? [] : input.units.map((u) => [u.cluster, u]))
  const out = new Map<string, InFlightEntry>()
  for (const e of input.ledger) {
    const unit = units.get(e.cluster)
    if (e.kind === 'Remove' && unit && isWaitingRemoval(unit)) continue
    const found = judge(e, unit, clockOf(clocks, e.cluster), input)
    const isCurrent = e.revision === input.target?.revision || e.kind === 'PinMove' || e.kind === 'Remove'
    if (found.failed !== undefined && !isCurrent) continue
    out.set(e.cluster, found)
  }
  for (const unit of input.units) {
    const lost = out.has(unit.cluster)
      ? undefined
      : (failedWithout(unit, input) ?? startedWithout(unit, input))
    if (lost) out.set(unit.cluster, lost)
  }
  return out
}

/**
 * What a record says, where the ledger was lost: a unit that is assigned and not admitted yet is in flight, and one that is
 * told to leave is leaving. Its clocks begin anew. What is only verified again never had a slot.
 */
function startedWithout(unit: UnitView, { target }: ScheduleInput): InFlightEntry | undefined {
  const { cluster, selected, hold, leaving, recordRevision, admittedRevision } = unit
  const entry = (kind: InFlightEntry['kind'], revision: string): InFlightEntry => ({
    cluster,
    revision,
    stage: unit.recordStage ?? '',
    kind,
    runSeconds: 0,
    readySeconds: 0,
  })
  if (leaving)
    return unit.present && !isWaitingRemoval(unit) ? entry('Remove', target?.revision ?? '') : undefined
  if (!selected || recordRevision === undefined || recordRevision === admittedRevision) return undefined
  if (unit.healthy && unit.at(recordRevision).sameContent) return undefined
  if (hold && !isHeldBack(hold)) {
    const isMove = hold.action === 'Pin' && hold.revision === recordRevision
    return isMove ? entry('PinMove', recordRevision) : undefined
  }
  return entry(admittedRevision === undefined ? 'Install' : 'Update', recordRevision)
}

/** What fails at the target has failed, also where the ledger was lost, or it was well before. */
function failedWithout(unit: UnitView, { target, completedAt }: ScheduleInput): InFlightEntry | undefined {
  const { cluster, selected, clusterState, hold, recordRevision, admittedRevision } = unit
  if (!target || completedAt === target.revision || !selected || clusterState !== 'Connected' || hold)
    return undefined
  const { revision } = target
  if (recordRevision !== revision || admittedRevision !== revision) return undefined
  const { failure, verified } = unit.at(revision)
  // As `judge` has it: what is well has not failed.
  if (failure === undefined || (verified && unit.healthy)) return undefined
  const stage = unit.recordStage ?? ''
  return { cluster, revision, stage, kind: 'Update', runSeconds: 0, readySeconds: 0, failed: failure }
}
