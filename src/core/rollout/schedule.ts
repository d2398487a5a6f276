/**
 * Which units of a module may start now: a pure function of what is observed. Total, deterministic, O(units log units);
 * the same input in any order gives the same output. Who is of which class: `classify.ts`; who may start: `candidatesOf`.
 */
import { amountOf } from './amount.ts'
import { blockersOf, MAX_LEDGER } from './blockers.ts'
import { type Classified, classify } from './classify.ts'
import { advanceClocks, clockOf, judge, storedEntry } from './ledger.ts'
import type {
  Counters,
  LedgerEntry,
  Phase,
  ScheduleInput,
  ScheduleOutput,
  Start,
  StartKind,
} from './types.ts'

/** The one stage of strategies without stages. */
export const WHOLE_STAGE = 'all'
const PERSIST_MS = 30_000

interface Limits {
  readonly total: number
  readonly maxUnavailable: number
  readonly maxFailed: number
  readonly maxUnreachable: number
}

export function schedule(asked: ScheduleInput): ScheduleOutput {
  const input = asked.retry ? forgiven(asked) : asked
  const clocks = advanceClocks(input)
  const judged = judgedLedger(input, clocks)
  const all = classifyAll(input, judged, clocks)
  const limits = limitsOf(input, all)
  const failedUnits = all.filter((c) => c.class === 'Failed')
  const haltedAt = haltRevision(input, failedUnits.length, limits)
  const withdraw = input.target ? overtaken(all) : []
  const stillIn = all.filter((c) => c.entry && keepsEntry(c) && !withdraw.includes(c.unit.cluster))
  const walk = haltedAt === undefined ? startAll(input, all, stillIn, limits, withdraw) : noStarts(all)
  // A unit that moves to a newer target on its own slot has its new entry only.
  const moved = new Set(walk.entries.map((e) => e.cluster))
  const ledger = [
    ...stillIn.filter((c) => !moved.has(c.unit.cluster)).map((c) => storedEntry(c.entry!, c.clock)),
    ...walk.entries,
  ].sort(byCluster)
  const phase = phaseOf(input, all, haltedAt, limits, ledger)
  return {
    start: walk.start,
    withdraw,
    phase,
    haltedAt,
    retried: asked.retry && haltedAt === undefined,
    ledger,
    // A new entry begins at zero, also where an older one of the cluster had run for long.
    clocks: new Map(
      ledger.filter((e) => !moved.has(e.cluster)).map((e) => [e.cluster, clockOf(clocks, e.cluster)]),
    ),
    counters: countersOf(all, input),
    budgets: { maxUnavailable: { used: walk.used, max: limits.maxUnavailable } },
    failed: failedUnits.slice(0, 10).map((c) => ({ cluster: c.unit.cluster, message: c.entry!.failed! })),
    blockers: blockersOf({
      ...{ module: input.module, all, limits, haltedAt, room: roomFor(input, all, limits) },
      ...{ used: walk.used, noRoom: walk.noRoom, noEntry: walk.noEntry },
    }),
    wakeInMs: wakeIn(input, stillIn),
  }
}

/** As if nothing had failed: what has not got over it by itself or by another attempt fails anew. */
function forgiven(input: ScheduleInput): ScheduleInput {
  const failed = new Set(input.ledger.filter((e) => e.failed !== undefined).map((e) => e.cluster))
  const ledger = input.ledger.map(({ failed: wasFailed, ...e }) =>
    wasFailed === undefined ? e : { ...e, runSeconds: 0, readySeconds: 0 },
  )
  const clocks = new Map([...input.clocks].filter(([cluster]) => !failed.has(cluster)))
  return { ...input, haltedAt: undefined, ledger, clocks }
}

const byCluster = (a: LedgerEntry, b: LedgerEntry): number =>
  a.cluster < b.cluster ? -1 : a.cluster > b.cluster ? 1 : 0

function judgedLedger(
  input: ScheduleInput,
  clocks: ReturnType<typeof advanceClocks>,
): Map<string, LedgerEntry> {
  const units = new Map(input.units.map((u) => [u.cluster, u]))
  const out = new Map<string, LedgerEntry>()
  for (const e of input.ledger) {
    const judgedEntry = judge(
      e,
      units.get(e.cluster),
      clockOf(clocks, e.cluster),
      input.policy.progressDeadlineSeconds,
    )
    // A failure of a superseded revision says nothing about the new one.
    if (judgedEntry.failed !== undefined && e.revision !== input.target?.revision) continue
    out.set(e.cluster, judgedEntry)
  }
  return out
}

function classifyAll(
  input: ScheduleInput,
  ledger: ReadonlyMap<string, LedgerEntry>,
  clocks: ReturnType<typeof advanceClocks>,
): Classified[] {
  const minReadyMs = input.policy.minReadySeconds * 1000
  return input.units
    .map((unit): Classified => {
      const entry = ledger.get(unit.cluster)
      const clock = clockOf(clocks, unit.cluster)
      return { unit, entry, clock, class: classify(unit, input.target, entry, minReadyMs, clock) }
    })
    .sort((a, b) =>
      a.unit.order < b.unit.order
        ? -1
        : a.unit.order > b.unit.order
          ? 1
          : a.unit.cluster < b.unit.cluster
            ? -1
            : 1,
    )
}

function limitsOf(input: ScheduleInput, all: readonly Classified[]): Limits {
  const { policy } = input
  const total = all.filter((c) => c.class !== 'Gone' && c.class !== 'Leaving').length
  const unavailable = policy.maxUnavailable ?? (policy.strategy === 'Replace' ? '100%' : 1)
  return {
    total,
    maxUnavailable: Math.max(1, amountOf(unavailable, Math.max(total, 1), true)),
    maxFailed: amountOf(policy.maxFailed ?? 0, total, false),
    maxUnreachable: amountOf(policy.maxUnreachable ?? '25%', total, false),
  }
}

/** Latched: a rollout that was halted stays so until another revision is published, or a retry is asked for. */
function haltRevision(input: ScheduleInput, failed: number, limits: Limits): string | undefined {
  if (!input.target || input.deleting) return undefined
  if (input.haltedAt === input.target.revision) return input.haltedAt
  return failed > limits.maxFailed ? input.target.revision : undefined
}

/** Assigned, not admitted, and the gate closed, the cluster fell away or the target moved: the record is taken back. */
function overtaken(all: readonly Classified[]): string[] {
  return all
    .filter(({ unit, entry }) => {
      if (!entry || entry.kind === 'Remove' || unit.recordRevision !== entry.revision) return false
      const isAdmitted = unit.admittedRevision === entry.revision
      return !isAdmitted && (unit.gate.length > 0 || unit.clusterState === 'Unreachable')
    })
    .map((c) => c.unit.cluster)
}

/** Entries end when the unit is done, or no longer there; a failed one stays to be seen. */
function keepsEntry(c: Classified): boolean {
  if (c.entry!.kind === 'Remove') return c.class === 'Leaving'
  // Taken for a record that was never written, and the gate has closed meanwhile: given back.
  if (c.class === 'InFlight' && c.unit.recordRevision !== c.entry!.revision && c.unit.gate.length > 0)
    return false
  return c.class === 'InFlight' || c.class === 'Failed' || c.class === 'Paused' || c.class === 'Unreachable'
}

interface Walk {
  readonly start: readonly Start[]
  readonly entries: readonly LedgerEntry[]
  /** Slots in use after the starts. */
  readonly used: number
  /** Candidates that found no slot. */
  readonly noRoom: number
  /** Candidates that had a slot, but found the ledger full. */
  readonly noEntry: number
}

const noStarts = (all: readonly Classified[]): Walk => ({
  start: [],
  entries: [],
  used: slotsUsed(all),
  noRoom: 0,
  noEntry: 0,
})

/** What counts as unavailable: in flight, unhealthy, leaving. Failed ones are counted by maxFailed, unreachable ones by maxUnreachable. */
function slotsUsed(all: readonly Classified[]): number {
  return all.filter(holdsSlot).length
}

function holdsSlot(c: Classified): boolean {
  if (c.class === 'InFlight' || c.class === 'Unhealthy') return true
  if (c.class === 'Leaving') return c.entry?.kind === 'Remove'
  return c.class === 'Paused' && c.entry !== undefined && c.entry.failed === undefined
}

/** The order of candidates: kind, then already unavailable, then hash; `all` is in hash order already. */
const KIND_RANK: Readonly<Record<StartKind, number>> = { Remove: 0, Update: 1, Install: 2 }

interface Candidate {
  readonly c: Classified
  readonly kind: StartKind
  /** It is unavailable already, or moves on its own slot: costs nothing. */
  readonly free: boolean
}

function startAll(
  input: ScheduleInput,
  all: readonly Classified[],
  kept: readonly Classified[],
  limits: Limits,
  withdraw: readonly string[],
): Walk {
  const start: Start[] = []
  const entries: LedgerEntry[] = []
  let noRoom = 0
  let noEntry = 0
  const revision = input.target?.revision
  const unreachable = all.filter((c) => c.class === 'Unreachable').length
  const isHeld = unreachable > limits.maxUnreachable
  const open = all.filter((c) => !withdraw.includes(c.unit.cluster))
  let used = slotsUsed(open)
  for (const c of open)
    if (c.class === 'Reverify' && c.unit.recordRevision !== revision)
      start.push({ cluster: c.unit.cluster, kind: 'Reverify', revision })
  for (const { c, kind, free } of candidatesOf(input, open)) {
    if (isHeld && kind !== 'Remove') continue
    if (!free && used >= roomFor(input, all, limits)) {
      noRoom++
      continue
    }
    if (kept.length + entries.length >= MAX_LEDGER) {
      noEntry++
      continue
    }
    if (!free) used++
    if (kind === 'Remove' || !isAtTarget(c, revision))
      start.push({ cluster: c.unit.cluster, kind, revision: kind === 'Remove' ? undefined : revision })
    entries.push({
      cluster: c.unit.cluster,
      revision: revision ?? '',
      stage: WHOLE_STAGE,
      kind,
      runSeconds: 0,
      readySeconds: 0,
    })
  }
  return { start, entries, used, noRoom, noEntry }
}

/** Incremental: until one unit is done at the target, one at a time. */
function roomFor(input: ScheduleInput, all: readonly Classified[], limits: Limits): number {
  const isProven = all.some((c) => c.class === 'Done')
  return input.policy.strategy === 'Incremental' && !isProven ? 1 : limits.maxUnavailable
}

function candidatesOf(input: ScheduleInput, all: readonly Classified[]): Candidate[] {
  const found: Candidate[] = []
  for (const c of all) {
    const candidate = candidateOf(input, c)
    if (candidate) found.push(candidate)
  }
  const rank = (x: Candidate): number => KIND_RANK[x.kind] * 2 + (x.free ? 0 : 1)
  return found.sort((a, b) => rank(a) - rank(b))
}

function isAtTarget({ unit }: Classified, revision: string | undefined): boolean {
  return (
    revision !== undefined &&
    unit.recordRevision === revision &&
    unit.admittedRevision === revision &&
    !unit.leaving
  )
}

function candidateOf(input: ScheduleInput, c: Classified): Candidate | undefined {
  const { unit } = c
  if (c.class === 'Leaving') return leaving(c)
  const revision = input.target?.revision
  if (revision === undefined || input.deleting) return undefined
  const kind: StartKind = unit.admittedRevision === undefined ? 'Install' : 'Update'
  if (c.class === 'Candidate') return { c, kind, free: false }
  // Down already: nothing is lost by starting. At the target, before the rollout is complete, it re-enters the ledger,
  // so that its deadline runs; after that its health is no matter of the rollout.
  if (c.class === 'Unhealthy' && unit.gate.length === 0) {
    return isAtTarget(c, revision) && input.completedAt === revision
      ? undefined
      : { c, kind: 'Update', free: true }
  }
  // On its own slot: to a newer target, or because the record of its start was never written.
  const isUnassigned = unit.recordRevision !== revision
  if (c.class === 'InFlight' && isUnassigned && unit.gate.length === 0) return { c, kind, free: true }
  return undefined
}

/** Leaving takes a slot once; where that was taken and the record is not there, it is written again. */
function leaving(c: Classified): Candidate | undefined {
  if (c.unit.gate.length > 0 || c.unit.leaving) return undefined
  return { c, kind: 'Remove', free: c.entry?.kind === 'Remove' }
}

function phaseOf(
  input: ScheduleInput,
  all: readonly Classified[],
  haltedAt: string | undefined,
  limits: Limits,
  ledger: readonly LedgerEntry[],
): Phase {
  if (input.deleting) return 'Removing'
  if (!input.target) return 'Idle'
  if (haltedAt !== undefined) return 'Halted'
  const unreachable = all.filter((c) => c.class === 'Unreachable').length
  if (unreachable > limits.maxUnreachable) return 'Waiting'
  const holdsUp = all.some((c) =>
    ['Leaving', 'InFlight', 'Unhealthy', 'Reverify', 'Blocked', 'Candidate'].includes(c.class),
  )
  const inFlight = ledger.some((e) => e.failed === undefined)
  if (!holdsUp && !inFlight) return 'Complete'
  return inFlight || all.some((c) => c.class === 'Reverify') ? 'Progressing' : 'Waiting'
}

function countersOf(all: readonly Classified[], input: ScheduleInput): Counters {
  const selected = all.filter((c) => c.unit.selected)
  const of = (...classes: string[]): number => selected.filter((c) => classes.includes(c.class)).length
  return {
    total: selected.length,
    updated: selected.filter(
      (c) => input.target !== undefined && c.unit.admittedRevision === input.target.revision,
    ).length,
    ready: of('Done'),
    updating: of('InFlight', 'Unhealthy', 'Reverify', 'Leaving'),
    blocked: of('Blocked'),
    waiting: of('Candidate', 'Paused'),
    failed: of('Failed'),
    unreachable: of('Unreachable'),
    provisioning: of('Gone'),
  }
}

/** The earliest instant at which time alone changes the decision, or at which the clocks should be stored. */
function wakeIn(input: ScheduleInput, kept: readonly Classified[]): number | undefined {
  const { policy } = input
  let least: number | undefined
  const consider = (ms: number): void => {
    if (ms > 0 && (least === undefined || ms < least)) least = ms
  }
  for (const { unit, clock, entry } of kept) {
    if (unit.running && entry?.failed === undefined && policy.progressDeadlineSeconds > 0) {
      consider(Math.min(policy.progressDeadlineSeconds * 1000 - clock.runMs, PERSIST_MS))
    }
    if (unit.verified && unit.healthy)
      consider(Math.min(policy.minReadySeconds * 1000 - clock.readyMs, PERSIST_MS))
  }
  return least
}
