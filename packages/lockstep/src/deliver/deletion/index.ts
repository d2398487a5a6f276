// The face of this folder: what others import.
export { type DeletionCause, withDeletionPolicy } from './deletionpolicy.ts'
export { needsConfirmation } from './existedmember.ts'
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
