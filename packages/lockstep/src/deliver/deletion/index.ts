// The face of this folder: what others import.
export { withDeletionPolicy } from './deletionpolicy.ts'
export { foreseeRemoval } from './foreseeremoval.ts'
export { type LeavingGrounds, leavingRules } from './leavingrules.ts'
export {
  type HandedObject,
  isContainer,
  isNothingToPrune,
  type PruneEntry,
  type PruneFate,
  type PruneNext,
  type PruneView,
  pruneBlockers,
  pruneNext,
  pruneRetryMs,
  takesAlong,
} from './prune.ts'
