/** What a rollout as a whole has come to. */
import type { Digest } from '../../object/object.ts'
import type { Classified } from './classify.ts'
import type { Limits } from './limits.ts'
import { isOverFailed, type StageRun } from './stages.ts'
import type { LedgerEntry, Phase, ScheduleInput } from './types.ts'

interface Failures {
  readonly stages: readonly StageRun[]
  readonly limits: Limits
  readonly failed: number
}

/** Latched: a rollout that was halted stays so until another revision is published, or a retry is asked for. */
export function haltRevision(input: ScheduleInput, { stages, limits, failed }: Failures): Digest | undefined {
  if (!input.target || input.deleting) return undefined
  if (input.haltedAt === input.target.revision) return input.haltedAt
  if (input.policy.onFailure === 'Continue') return undefined
  const isBeyond = failed > limits.maxFailed || stages.some((s) => isOverFailed(input, s))
  return isBeyond ? input.target.revision : undefined
}

interface State {
  readonly all: readonly Classified[]
  readonly stages: readonly StageRun[]
  readonly haltedAt: Digest | undefined
  readonly limits: Limits
  readonly ledger: readonly LedgerEntry[]
}

/** What is still to be done about a unit. */
const TO_DO: ReadonlySet<string> = new Set([
  'Leaving',
  'InFlight',
  'Unhealthy',
  'Reverify',
  'Blocked',
  'Candidate',
])

/** What is led back has phases of its own: whoever waits for the revision that was published must not take them for it. */
export function phaseOf(input: ScheduleInput, s: State): Phase {
  const phase = forwardPhase(input, s)
  if (input.back === undefined || input.back === 'Undo') return phase
  if (phase === 'Progressing' || phase === 'Waiting') return 'RollingBack'
  return phase === 'Complete' || phase === 'CompletedWithFailures' ? 'RolledBack' : phase
}

/** The first that applies. */
function forwardPhase(input: ScheduleInput, s: State): Phase {
  if (input.deleting) return 'Removing'
  if (!input.target || input.policy.strategy === 'External') return 'Idle'
  if (s.haltedAt !== undefined) return 'Halted'
  if (input.heldBy !== undefined) return 'Paused'
  const count = (name: string): number => s.all.filter((c) => c.class === name).length
  if (count('Unreachable') > s.limits.maxUnreachable) return 'Waiting'
  const inFlight = s.ledger.some((e) => e.failed === undefined)
  if (!s.all.some((c) => TO_DO.has(c.class)) && !inFlight && s.stages.every((x) => x.isComplete))
    return count('Failed') > s.limits.maxFailed || (count('Failed') > 0 && count('Done') === 0)
      ? 'CompletedWithFailures'
      : 'Complete'
  return inFlight || count('Reverify') > 0 ? 'Progressing' : 'Waiting'
}
