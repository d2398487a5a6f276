/** The one answer about a unit: its state, the reason, and the root causes. Pure. */
import type { WaitRef } from '../../api/reasons/index.ts'
import { type AnswerReader, type Cause, CauseWalk, rootsOf, type UnitAnswerState } from './cause.ts'

export interface Answer {
  readonly state: UnitAnswerState
  /** Reason of the first root cause, or the state. */
  readonly reason: string
  readonly causes: readonly Cause[]
  /** Ends of all chains, the oldest first. */
  readonly roots: readonly Cause[]
  readonly isReady: boolean
  /** Exit code of `why`: 0 ready, 1 else, 2 no such unit. */
  readonly exit: 0 | 1 | 2
}

/** Follows the references of a unit's blockers. */
export function answerOf(unit: WaitRef, reader: AnswerReader): Answer {
  const state = reader.unit(unit)?.state ?? 'NotSelected'
  const isReady = state === 'Ready'
  const causes = isReady ? [] : new CauseWalk(reader).unit(unit)
  const roots = rootsOf(causes)
  const exit = isReady ? 0 : state === 'NotSelected' ? 2 : 1
  return { state, reason: roots[0]?.reason ?? state, causes, roots, isReady, exit }
}
