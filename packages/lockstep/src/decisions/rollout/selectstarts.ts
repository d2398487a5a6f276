/** Who starts now: candidates in their order, each as long as all that it takes has room. */
import { AvailableBudgets } from './budgets/availablebudget.ts'
import type { RolloutLimits } from './budgets/limits.ts'
import type { SharedLimit, StartStop } from './budgets/startstop.ts'
import { isAt, isDone } from './classify.ts'
import type { ClassCounts, ClassifiedUnit, StageRun } from './stagerun.ts'
import { type RolloutWindow, windowsAt } from './time/windows.ts'
import type { InFlightEntry, ScheduleInput, StartKind, UnitStart, UnitView } from './types.ts'

/** Entries that a Module's status can hold. */
export const MAX_LEDGER = 4000

export interface Selection {
  readonly start: readonly UnitStart[]
  readonly entries: readonly InFlightEntry[]
  /** Slots of the module in use after the starts. */
  readonly used: number
  /** Candidates that found a limit reached, by limit. */
  readonly noRoom: ReadonlyMap<SharedLimit, number>
  /** Candidates that had a slot, but found the ledger full. */
  readonly noEntry: number
  /** DisruptionBudgets: whom they kept waiting. */
  readonly budgets: AvailableBudgets
  /** Candidates whose stage is not open, by stage. */
  readonly pending: ReadonlyMap<string, number>
  /** Candidates that a closed window keeps waiting, by stage; the empty name: the module's own. */
  readonly windowClosed: ReadonlyMap<string, number>
  /** By cluster of a candidate that did not start. */
  readonly stops: ReadonlyMap<string, StartStop>
}

export interface SelectionInput {
  readonly input: ScheduleInput
  readonly all: readonly ClassifiedUnit[]
  readonly classes: ClassCounts
  readonly limits: RolloutLimits
  /** Entries that stay. */
  readonly kept: readonly ClassifiedUnit[]
  /** Nothing starts but what leaves. */
  readonly isHeld: boolean
  /** Nothing starts at all. */
  readonly isStopped: boolean
  /** Nothing starts at the target. */
  readonly isHalted: boolean
  /** More removals have failed than may fail. */
  readonly areRemovalsStopped: boolean
}

interface StartCandidate {
  readonly c: ClassifiedUnit
  readonly kind: StartKind
  /** It is unavailable already, or moves on its own slot: it makes nothing worse. */
  readonly free: boolean
}

/** Whose turn is first: the lowest. */
interface StartRank {
  readonly candidate: StartCandidate
  readonly rank: number
}

const KIND_RANK: Readonly<Record<StartKind, number>> = {
  RollBack: 0,
  Remove: 1,
  PinMove: 2,
  Update: 3,
  Rebind: 3,
  Install: 4,
}
/** Whose turn does not depend on stages. */
const UNSTAGED: ReadonlySet<StartKind> = new Set(['PinMove', 'Rebind'])

export function selectStarts(w: SelectionInput): Selection {
  const rooms = new Budgets(w)
  const budgets = new AvailableBudgets(w.input.budgets ?? [], w.input.module)
  const tally = new WaitTally(w.input)
  // What is halted is the target: others are where they are for reasons of their own.
  const isApart = (c: ClassifiedUnit): boolean => c.targetRevision !== w.input.target?.revision
  const mayStart = (c: ClassifiedUnit): boolean =>
    !w.isStopped && c.unit.clusterState !== 'Connecting' && (!w.isHalted || isApart(c))
  const start: UnitStart[] = reverified(w, mayStart)
  const entries: InFlightEntry[] = []
  const noRoom = new Map<SharedLimit, number>()
  const { stops } = tally
  let noEntry = 0
  for (const candidate of candidatesOf(w)) {
    const { c, kind } = candidate
    if (!mayStart(c)) continue
    if (w.isHeld && kind !== 'Remove') continue
    if (w.areRemovalsStopped && kind === 'Remove' && !candidate.free) continue
    if (tally.isWaiting(candidate)) continue
    const full = rooms.fullFor(candidate)
    if (full) {
      noRoom.set(full, (noRoom.get(full) ?? 0) + 1)
      stops.set(c.unit.cluster, { type: 'Limit', limit: full })
      continue
    }
    if (w.kept.length + entries.length >= MAX_LEDGER) {
      noEntry++
      continue
    }
    // What is where it is to be comes back into the ledger, and starts nothing.
    const isStart = kind === 'Remove' || !isAt(c) || c.at.rebinds === true
    if (isStart && !budgets.hasPlace(c.unit.cluster, candidate.free)) {
      stops.set(c.unit.cluster, { type: 'Budgets', full: budgets.fullFor(c.unit.cluster) })
      continue
    }
    rooms.take(candidate)
    if (isStart) start.push(startOf(candidate, budgets.take(c.unit.cluster)))
    entries.push(entryOf(candidate, w.input))
  }
  const { pending, shut } = tally
  return { start, entries, used: rooms.used, noRoom, noEntry, budgets, pending, windowClosed: shut, stops }
}

const startOf = ({ c, kind }: StartCandidate, takes: readonly string[]): UnitStart => ({
  cluster: c.unit.cluster,
  kind,
  revision: kind === 'Remove' ? undefined : c.targetRevision,
  ...(takes.length === 0 ? {} : { takes }),
})

const entryOf = ({ c, kind }: StartCandidate, { target, ran }: ScheduleInput): InFlightEntry => ({
  cluster: c.unit.cluster,
  revision: (kind === 'Remove' ? target?.revision : c.targetRevision) ?? '',
  // Where it was counted first it stays.
  stage:
    c.entry?.revision === c.targetRevision && c.entry !== undefined ? c.entry.stage : (c.stage?.name ?? ''),
  kind,
  ...(kind !== 'Remove' && isAt(c) && c.at.rebinds !== true
    ? { runSeconds: ran?.get(c.unit.cluster) ?? 0, again: true as const }
    : { runSeconds: 0 }),
  readySeconds: 0,
})

/**
 * The same content at another revision or gate digest, or what is pinned where it is: a write to the record, no slot, no
 * stage, no window.
 */
const reverified = ({ all }: SelectionInput, mayStart: (c: ClassifiedUnit) => boolean): UnitStart[] =>
  all
    .filter(
      (c) =>
        mayStart(c) &&
        c.unit.recordRevision !== c.targetRevision &&
        (c.class === 'VerifyOnly' || isPinnedThere(c)),
    )
    .map((c) => ({ cluster: c.unit.cluster, kind: 'VerifyOnly', revision: c.targetRevision }))

/** What candidates wait for that is no budget. */
class WaitTally {
  readonly pending = new Map<string, number>()
  readonly shut = new Map<string, number>()
  readonly stops = new Map<string, StartStop>()
  private readonly input: ScheduleInput
  /** A fleet has many clusters and few windows. */
  private readonly closed = new Map<readonly RolloutWindow[], boolean>()

  constructor(input: ScheduleInput) {
    this.input = input
  }

  private add(to: Map<string, number>, key: string): void {
    to.set(key, (to.get(key) ?? 0) + 1)
  }

  /** Its stage is not open, or its time has not come. */
  isWaiting({ c, kind }: StartCandidate): boolean {
    const { stage } = c
    // Apart from the fleet there are no stages.
    const isWithFleet = !UNSTAGED.has(kind) && c.targetRevision === this.input.target?.revision
    if (stage && isWithFleet && !c.isOpen) {
      this.add(this.pending, stage.name)
      const after = stage.opensAfter
      if (after !== undefined) this.stops.set(c.unit.cluster, { type: 'Stage', after })
      return true
    }
    const shut = this.input.deleting ? undefined : this.closedWindow(stage)
    if (shut === undefined) return false
    this.add(this.shut, shut)
    return true
  }

  /** Whose window is closed: the module's own (an empty name), or the stage's. */
  private closedWindow(stage: StageRun | undefined): string | undefined {
    if (this.isShut(this.input.policy.windows)) return ''
    return stage && this.isShut(stage.policy.windows) ? stage.name : undefined
  }

  private isShut(windows: readonly RolloutWindow[] = []): boolean {
    const { nowMs, calendar, skewMs } = this.input
    if (windows.length === 0) return false
    const known = this.closed.get(windows)
    if (known !== undefined) return known
    const isClosed = skewMs !== undefined || !windowsAt(windows, nowMs, calendar).isOpen
    this.closed.set(windows, isClosed)
    return isClosed
  }
}

function candidatesOf({ input, all }: SelectionInput): StartCandidate[] {
  const turns: StartRank[] = []
  // `all` is by stage and by the stage's order already: what is of one rank stays in that.
  let stage = 0
  let inStage = all[0]?.stage
  for (const c of all) {
    if (c.stage !== inStage) stage++
    inStage = c.stage
    const candidate = candidateOf(input, c)
    if (candidate) turns.push({ candidate, rank: rankOf(input, candidate, stage) })
  }
  return turns.sort((a, b) => a.rank - b.rank).map((t) => t.candidate)
}

/** More than there are: `stagemembers.ts`. */
const STAGES = 1000

/** By kind, then who was begun before, then by stage, then who answers. */
function rankOf(input: ScheduleInput, { c, kind, free }: StartCandidate, stage: number): number {
  // What was retried after a failure is still in the ledger: it moves on its own slot.
  const isFirst = free || isLeftBetween(input, c)
  const turn = KIND_RANK[kind] * 2 + (isFirst ? 0 : 1)
  return (turn * STAGES + stage) * 2 + (c.unit.suspected === true ? 1 : 0)
}

/** A rollout that another one has overtaken has left it at what was never complete. */
const isLeftBetween = (
  { rollbackCause, target, lastComplete }: ScheduleInput,
  { unit: { admittedRevision: there } }: ClassifiedUnit,
): boolean =>
  rollbackCause === undefined &&
  lastComplete !== undefined &&
  there !== undefined &&
  there !== target?.revision &&
  there !== lastComplete

function candidateOf(input: ScheduleInput, c: ClassifiedUnit): StartCandidate | undefined {
  const { unit, at, entry } = c
  if (c.class === 'Leaving') return leaving(c)
  const { targetRevision } = c
  if (targetRevision === undefined || input.deleting) return undefined
  if (c.class === 'Pinned') return pinMove(c)
  const isRebind = isAt(c) && at.rebinds === true
  const moves: StartKind = isRebind ? 'Rebind' : input.rollbackCause === undefined ? 'Update' : 'RollBack'
  const kind: StartKind = unit.admittedRevision === undefined ? 'Install' : moves
  if (c.class === 'Candidate') return { c, kind, free: false }
  // Down already: nothing is lost by starting. At the target, before the rollout is complete, it re-enters the ledger,
  // so that its deadline runs; after that its health is no matter of the rollout.
  if (c.class === 'Unhealthy' && at.gate.length === 0)
    return isAt(c) && !isRebind && input.completedAt === targetRevision ? undefined : { c, kind, free: true }
  // On its own slot: to a newer target or other values, or because the record of its start was never written. What was
  // admitted before its record was taken back gets that again, whatever its gate is now.
  const isUnassigned = unit.recordRevision !== targetRevision || isRebind
  const isOpen =
    at.gate.length === 0 ||
    (unit.admittedRevision === targetRevision && unit.recordRevision !== targetRevision)
  if (c.class === 'InFlight' && isUnassigned && isOpen)
    return { c, kind: entry?.kind === 'Install' ? 'Install' : kind, free: true }
  return undefined
}

const isPinnedThere = ({ class: name, unit, targetRevision, at }: ClassifiedUnit): boolean =>
  name === 'Pinned' &&
  targetRevision !== undefined &&
  unit.clusterState === 'Connected' &&
  unit.admittedRevision === targetRevision &&
  at.gate.length === 0

/** To where a Hold wants it, once; unhealthy there it is repaired like any other. */
function pinMove(c: ClassifiedUnit): StartCandidate | undefined {
  if (
    c.unit.clusterState !== 'Connected' ||
    c.unit.recordRevision === c.targetRevision ||
    c.at.gate.length > 0
  )
    return undefined
  if (c.unit.admittedRevision === c.targetRevision) return undefined
  const isDown = c.unit.admittedRevision !== undefined && !c.unit.healthy
  return { c, kind: 'PinMove', free: isDown || c.entry !== undefined }
}

/** Leaving takes a slot once, and goes on in that of a delivery under way; where its record is not there, it is written again. */
function leaving(c: ClassifiedUnit): StartCandidate | undefined {
  if (c.unit.dependants.length > 0 || c.unit.leaving) return undefined
  return { c, kind: 'Remove', free: isUnderWay(c) }
}

/** What counts as unavailable: in flight, unhealthy, leaving. Failed ones are counted by maxFailed, unreachable ones by maxUnreachable. */
export function holdsSlot(c: ClassifiedUnit): boolean {
  if (c.class === 'Unhealthy') return !isLeftBehind(c)
  if (c.class === 'Exempt') return !c.unit.healthy
  if (c.class === 'InFlight') return true
  if (c.class === 'Leaving') return isUnderWay(c)
  if (c.class !== 'Paused' && c.class !== 'Pinned') return false
  return isUnderWay(c) && !isDone(c)
}

const isUnderWay = ({ entry }: ClassifiedUnit): boolean => entry !== undefined && entry.failed === undefined

/**
 * It has failed for good at a revision that is not where it is to be, and its stage is not open yet: if it kept others from
 * starting, these may be the ones that have to be done before (ADR 0046).
 */
function isLeftBehind({ unit, targetRevision, isOpen }: ClassifiedUnit): boolean {
  const { admittedRevision: there } = unit
  if (isOpen || there === undefined || there === targetRevision) return false
  return unit.at(there).failure !== undefined
}

/** It has content; what is left of a cluster that is gone is nobody's to make room for. */
const isDelivered = ({ admittedRevision, clusterState }: UnitView): boolean =>
  admittedRevision !== undefined && clusterState !== 'Absent' && clusterState !== 'Deleting'

/** All budgets of one decision. */
class Budgets {
  private readonly unavailable: SharedLimit
  /** Of those that are unavailable: what is unhealthy where it is to be, of which a first delivery elsewhere knows nothing. */
  private unhealthyAtTarget = 0
  private readonly newInstalls: SharedLimit
  private readonly surge: SharedLimit | undefined
  private readonly byStage = new Map<StageRun, { unavailable: SharedLimit; concurrency: SharedLimit }>()

  constructor({ input, all, classes, limits }: SelectionInput) {
    let [held, installing, delivered] = [0, 0, 0]
    for (const c of all) {
      const isHeld = holdsSlot(c)
      const isInstalling = isHeld && c.entry?.kind === 'Install'
      if (isInstalling) installing++
      if (isInstalling || isDelivered(c.unit)) delivered++
      if (!isHeld) continue
      held++
      if (input.ofSet && c.class === 'Unhealthy' && isAt(c)) this.unhealthyAtTarget++
      if (!c.stage) continue
      const { unavailable, concurrency } = this.inStage(c.stage)
      unavailable.used++
      if (c.entry) concurrency.used++
    }
    this.unavailable = { name: 'maxUnavailable', used: held, max: roomFor(input, classes, limits) }
    this.newInstalls = { name: 'maxNew', used: installing, max: limits.maxNew }
    // Only while units leave is there anything above the total.
    if (classes.Leaving > 0 && !input.deleting)
      this.surge = { name: 'maxSurge', used: delivered, max: limits.total + limits.maxSurge }
  }

  get used(): number {
    return this.unavailable.used
  }

  /** The first that has no room. */
  fullFor(candidate: StartCandidate): SharedLimit | undefined {
    if (!candidate.free && this.isUnavailableFull(candidate)) return this.unavailable
    return this.takenBy(candidate).find((room) => room !== this.unavailable && isFull(room))
  }

  private isUnavailableFull({ kind }: StartCandidate): boolean {
    const { used, max } = this.unavailable
    return used - (kind === 'Install' ? this.unhealthyAtTarget : 0) >= max
  }

  take(candidate: StartCandidate): void {
    for (const room of this.takenBy(candidate)) room.used++
  }

  private takenBy({ c, kind, free }: StartCandidate): SharedLimit[] {
    const stage = c.stage && this.inStage(c.stage)
    const isOwnSlot = c.entry !== undefined
    const out: SharedLimit[] = []
    if (!free) out.push(this.unavailable)
    if (stage && !free) out.push(stage.unavailable)
    if (stage && !isOwnSlot && kind !== 'PinMove') out.push(stage.concurrency)
    if (kind === 'Install' && !isOwnSlot) out.push(this.newInstalls)
    if (kind === 'Install' && !isOwnSlot && this.surge) out.push(this.surge)
    return out
  }

  private inStage(stage: StageRun): { unavailable: SharedLimit; concurrency: SharedLimit } {
    const known = this.byStage.get(stage)
    if (known) return known
    const { limits: max, name } = stage
    const made = {
      unavailable: { name: 'maxUnavailable', stage: name, used: 0, max: max.maxUnavailable },
      concurrency: { name: 'maxConcurrency', stage: name, used: 0, max: max.maxConcurrency },
    }
    this.byStage.set(stage, made)
    return made
  }
}

const isFull = ({ used, max }: SharedLimit): boolean => used >= max

/** Incremental: until one unit is done at the target, one at a time. What goes proves nothing. */
function roomFor(input: ScheduleInput, classes: ClassCounts, limits: RolloutLimits): number {
  const isProven = input.deleting || classes.Done > 0
  return input.policy.strategy === 'Incremental' && !isProven ? 1 : limits.maxUnavailable
}
