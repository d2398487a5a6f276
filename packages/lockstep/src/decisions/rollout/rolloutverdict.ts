/** What a rollout as a whole has come to. */
import type { Digest } from '@lockstep/kube/object'
import type { RolloutLimits } from './budgets/limits.ts'
import { type ClassCounts, countOf, type StageRun } from './stagerun.ts'
import { isOverFailed } from './stages.ts'
import type { InFlightEntry, RolloutPhase, ScheduleInput } from './types.ts'

interface HaltInput {
  readonly stages: readonly StageRun[]
  readonly limits: RolloutLimits
  readonly failed: number
  /** Nothing is left of what has failed at the target. */
  readonly isHealed: boolean
}

/**
 * Latched: a rollout that was halted stays so until another revision is published, or a retry is asked for; that of a set
 * (`ofSet`) until all that has failed is well.
 */
export function haltRevision(
  input: ScheduleInput,
  { stages, limits, failed, isHealed }: HaltInput,
): Digest | undefined {
  if (!input.target || input.deleting) return undefined
  const isLifted = input.ofSet === true && isHealed
  if (input.haltedAt === input.target.revision && !isLifted) return input.haltedAt
  if (input.policy.onFailure === 'Continue') return undefined
  const isBeyond = failed > limits.maxFailed || stages.some((s) => isOverFailed(input, s))
  return isBeyond ? input.target.revision : undefined
}

interface RolloutVerdictState {
  readonly classes: ClassCounts
  readonly stages: readonly StageRun[]
  readonly haltedAt: Digest | undefined
  readonly limits: RolloutLimits
  readonly ledger: readonly InFlightEntry[]
}

/** What is still to be done about a unit. */
const TO_DO = ['Leaving', 'InFlight', 'Unhealthy', 'VerifyOnly', 'Blocked', 'Candidate'] as const

/** What is led back has phases of its own: whoever waits for the revision that was published must not take them for it. */
export function rolloutVerdict(input: ScheduleInput, s: RolloutVerdictState): RolloutPhase {
  const phase = forwardPhase(input, s)
  if (input.rollbackCause === undefined || input.rollbackCause === 'Undo') return phase
  if (phase === 'Progressing' || phase === 'Waiting') return 'RollingBack'
  return phase === 'Complete' || phase === 'CompletedWithFailures' ? 'RolledBack' : phase
}

/** The first that applies. */
function forwardPhase(input: ScheduleInput, s: RolloutVerdictState): RolloutPhase {
  if (input.deleting) return 'Removing'
  if (!input.target || input.policy.strategy === 'External') return 'Idle'
  if (s.haltedAt !== undefined) return 'Halted'
  if (input.heldBy !== undefined) return 'Paused'
  const { Unreachable: unreachable, Failed: failed, Done: done, VerifyOnly: reverify } = s.classes
  if (unreachable > s.limits.maxUnreachable) return 'Waiting'
  const inFlight = s.ledger.some((e) => e.failed === undefined)
  const isOver = countOf(s.classes, ...TO_DO) === 0 && !inFlight && s.stages.every((x) => x.isComplete)
  // A rollout without a cluster proves nothing: the revision is not complete, and no way back leads to it.
  if (isOver && !input.units.some((u) => u.selected)) return 'Idle'
  if (isOver)
    return failed > s.limits.maxFailed || (failed > 0 && done === 0) ? 'CompletedWithFailures' : 'Complete'
  return inFlight || reverify > 0 ? 'Progressing' : 'Waiting'
}
