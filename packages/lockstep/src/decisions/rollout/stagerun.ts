/** A unit in its stage, and a stage with its units, as one decision sees them. */

import type { Digest } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { StageLimits } from './budgets/limits.ts'
import type { StagePolicy } from './policy.ts'
import type { InFlightEntry, StageState, UnitAt, UnitClass, UnitClock, UnitView } from './types.ts'

/** A unit with what it is to be at, its class, and what the ledger holds for it. */
export interface ClassifiedUnit {
  readonly unit: UnitView
  readonly class: UnitClass
  /** The revision that it is to be at now: the target's, but for pins and for what finishes an older one first. */
  readonly targetRevision: Digest | undefined
  /** Difference of its target revision and its own. */
  readonly at: UnitAt
  readonly entry: InFlightEntry | undefined
  readonly clock: UnitClock
  /** Its stage lets it move to the target, or it goes back before its stage's turn. */
  readonly isOpen: boolean
  /** What leaves is in none. */
  readonly stage: StageRun | undefined
}

/** One that nobody else has yet. Ten thousand copies would cost more than the decision. */
export type ClassifiedUnitDraft = { -readonly [K in keyof ClassifiedUnit]: ClassifiedUnit[K] }

/** A stage as it is now. */
export interface StageRun {
  readonly name: string
  readonly policy: StagePolicy
  readonly limits: StageLimits
  readonly members: readonly ClassifiedUnit[]
  readonly classes: ClassCounts
  readonly state: StageState
  /** Those before it are complete, and nobody has to consent any more. */
  readonly isOpen: boolean
  /** Names of the Approvals for it and all before it; undefined: one is still to be given. */
  readonly consents: readonly string[] | undefined
  readonly isComplete: boolean
  /** Milliseconds for which all members have been done; undefined: they are not. */
  readonly soakMs: number | undefined
  /** The stage that must be complete first; undefined: none. */
  readonly opensAfter?: string | undefined
  /** Why it is not open, or not complete though all members are done. */
  readonly waits: readonly NewBlocker[]
}

/** How many are of each class. */
export type ClassCounts = Readonly<Record<UnitClass, number>>

export function classesOf(units: readonly ClassifiedUnit[]): ClassCounts {
  const counts = { ...NONE }
  for (const c of units) counts[c.class]++
  return counts
}

const NONE: ClassCounts = {
  Absent: 0,
  Leaving: 0,
  Pinned: 0,
  Exempt: 0,
  Paused: 0,
  Unreachable: 0,
  Failed: 0,
  InFlight: 0,
  Unhealthy: 0,
  Done: 0,
  VerifyOnly: 0,
  Blocked: 0,
  Candidate: 0,
}

/** Those of any of these classes. */
export const countOf = (counts: ClassCounts, ...classes: readonly UnitClass[]): number =>
  classes.reduce((n, c) => n + counts[c], 0)

/** Those that are in the total: of the others nothing is expected. */
export const totalOf = (counts: ClassCounts): number =>
  Object.values(counts).reduce((n, x) => n + x, 0) - countOf(counts, 'Absent', 'Leaving', 'Pinned', 'Exempt')
