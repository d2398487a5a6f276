// The face of this folder: what others import.
export { healthySince, troubleSince } from './appliedhealth.ts'
export {
  type CheckpointCheck,
  type CheckpointResult,
  type CheckpointTimes,
  checkpointResult,
} from './checkpoint.ts'
export { lastOfCompletedWaves } from './completedwaves.ts'
export { entriesOf, evaluate } from './evaluate.ts'
export type { LookupQuery, LookupResult, ObjectLookup, WaitResult } from './lookup.ts'
export { desiredWaitRef, isWaitRefOf, objectWaitRef } from './objectwaitref.ts'
export { pauseTimers, resumePausedTimers } from './pausedtimers.ts'
export { dataRead } from './readiness.ts'
export { redactMessages, redactText, textsToRedact } from './redact.ts'
export { type RelistedKind, relistDelayText } from './relistdelay.ts'
export { type UnitHealth, unitHealth, withCheckpoint } from './unithealth.ts'
export type { Evaluation, UnitInput } from './unitinput.ts'
export { emptyMemory, type NodeFailure, type StampMemory, type UnitMemory } from './unitmemory.ts'
export { absentKey } from './unmanagedstate.ts'
