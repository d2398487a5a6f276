/**
 * Assignments that were overtaken: by a closed gate, a Hold, a newer target, or a cluster that falls silent or leaves. First
 * the record is taken back; its slot is free once that is so, and nothing that was sent before can change it any more.
 */
import { hasLasted } from '@lockstep/kube/env'
import type { ClassifiedUnit } from './stagerun.ts'
import type { InFlightEntry, ScheduleInput, UnitStart } from './types.ts'
import { isHeldBack } from './unitholds.ts'

/**
 * So long after its record was first missed, in milliseconds, no write of a process that has died is under way to it: a
 * request takes 30 s at most (ADR 0035).
 */
const SETTLED_MS = 40_000

/** Names an entry for `ScheduleInput.takenBack`: another revision on the same cluster is another start. */
export const entryId = ({ cluster, revision }: Pick<InFlightEntry, 'cluster' | 'revision'>): string =>
  `${cluster} ${revision}`

/** Started, not admitted, and what it was started for does not hold any more. */
export function isOvertaken({
  unit,
  entry,
  at,
  targetRevision,
  stage,
  isOpen,
  class: name,
}: ClassifiedUnit): boolean {
  if (!entry || entry.kind === 'Remove' || unit.admittedRevision === entry.revision) return false
  const { hold } = unit
  if (name === 'Leaving' || at.gate.length > 0 || isHeldBack(hold)) return true
  if (unit.clusterState === 'Unreachable') return true
  const staysPut = hold?.action === 'Conflict' || hold?.action === 'Unknown'
  return entry.revision !== targetRevision && ((stage !== undefined && !isOpen) || staysPut)
}

export interface Withdrawal {
  /** Records to be taken back. Their entries stay in the ledger until they are. */
  readonly withdraw: readonly ClassifiedUnit[]
  /** Milliseconds until an entry without a record may be given up. */
  readonly settlesInMs: number | undefined
}

/** Those that nothing has moved on: what leaves by this decision, or gets something else, needs no withdrawal. */
export function withdrawalOf(
  input: ScheduleInput,
  kept: readonly ClassifiedUnit[],
  start: readonly UnitStart[],
): Withdrawal {
  const moved = new Set(start.map((s) => s.cluster))
  const overtaken = kept.filter((c) => isOvertaken(c) && !moved.has(c.unit.cluster))
  const open = kept
    .filter((c) => isUnsettled(c) && !moved.has(c.unit.cluster))
    .map((c) => SETTLED_MS - missedMs(c))
  return {
    withdraw: input.target || input.deleting ? overtaken.filter(isAssigned) : [],
    settlesInMs: open.length === 0 ? undefined : Math.max(1, Math.min(...open)),
  }
}

/** Nothing of its start is there, or can still come; or what leaves is well where it is, and leaves from there. */
export function isAbandoned({ takenBack, policy }: ScheduleInput, c: ClassifiedUnit): boolean {
  const { unit, entry, clock } = c
  if (!entry || entry.kind === 'Remove') return false
  // Whatever keeps it from being assigned now, a Hold, a halt, a window: nobody is on the way any more.
  if (isUnsettled(c) && missedMs(c) >= SETTLED_MS) return true
  if (isOvertaken(c)) return !isAssigned(c) && takenBack?.has(entryId(entry)) === true
  const isWell = unit.at(entry.revision).verified && unit.healthy
  return isWell && (c.class === 'Leaving' || (isStranded(c) && hasLasted(clock.readyMs, minReadyMs(policy))))
}

/**
 * What it was started for is there, and what it is to be now has to wait. Its slot is another's: what it waits for may wait for
 * just that slot, in a budget of all modules.
 */
const isStranded = ({ unit, entry, targetRevision, at, class: name }: ClassifiedUnit): boolean =>
  name === 'InFlight' &&
  unit.admittedRevision === entry?.revision &&
  entry?.revision !== targetRevision &&
  at.gate.length > 0

const minReadyMs = ({ minReadySeconds }: ScheduleInput['policy']): number => minReadySeconds * 1000

/** Started, and neither assigned nor admitted: whoever started it has died over that, or its record was taken back. */
const isUnsettled = (c: ClassifiedUnit): boolean =>
  c.entry !== undefined &&
  c.entry.kind !== 'Remove' &&
  c.entry.failed === undefined &&
  c.unit.admittedRevision !== c.entry.revision &&
  !isAssigned(c)

/** Counted for each that is unsettled (`budgets/inflight.ts`). */
const missedMs = ({ clock }: ClassifiedUnit): number => clock.unassignedMs!

/** Its record says what its entry says. */
const isAssigned = ({ unit, entry }: Pick<ClassifiedUnit, 'unit' | 'entry'>): boolean =>
  unit.recordRevision === entry?.revision
