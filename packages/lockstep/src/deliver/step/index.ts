// The face of this folder: what others import.
export { type AdmissionInput, admittedSpec, recordedSpec } from './admission.ts'
export { adoptedMarks, type MarksAnswer } from './adoptedmarks.ts'
export {
  type AnnouncedIntent,
  announcedObjects,
  intentWaitMs,
  servedIntents,
  type TakenObject,
  unsentIntents,
  withAnnounced,
  withMarked,
} from './intents.ts'
export { markedIntents } from './markedintents.ts'
export { isUnusedInventory, type NewUnit, newInventory } from './newinventory.ts'
export { announcedIntent, type NextStep, nextStep, takenObject } from './nextstep.ts'
export { isOrphanedUnit, orphanedUnitSpec } from './orphanedunit.ts'
export { differingObjects, differingText, rehashedSpec, rehashedStatus } from './rehash.ts'
export { soonestRequeue } from './requeue.ts'
export {
  judgeStamp,
  readStamp,
  type Stamp,
  stampBlocker,
  stampKey,
  stampObject,
} from './stamp.ts'
