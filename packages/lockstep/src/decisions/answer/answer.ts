/** The one answer about a unit: its state, and the root causes. Pure. */
import type { WaitRef } from '../../api/reasons/index.ts'
import { type AnswerReader, type Cause, CauseWalk, rootsOf, type UnitAnswerState } from './cause.ts'

export interface Answer {
  readonly state: UnitAnswerState
  readonly causes: readonly Cause[]
  /** Ends of all chains, the oldest first. */
  readonly roots: readonly Cause[]
}

/** Follows the references of the blockers of a unit, or of a Module as a whole. */
export function answerOf(unit: WaitRef, reader: AnswerReader): Answer {
  const state = reader.unit(unit)?.state ?? 'NotSelected'
  const causes = state === 'Ready' ? [] : new CauseWalk(reader).unit(unit)
  return { state, causes, roots: rootsOf(causes) }
}
