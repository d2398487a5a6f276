// The face of this folder: what others import.
export { type Answer, answerOf } from './answer.ts'
export {
  type AnswerBlocker,
  type AnswerReader,
  type Cause,
  type CauseAddress,
  rootsOf,
  type UnitAnswer,
} from './cause.ts'
export { type ObjectWithPods, objectCause, podSelector } from './objectcause.ts'
