// The face of this folder: what others import.
export {
  type Controller,
  defineController,
  on,
  onCluster,
  onObject,
  onSecret,
  onSelection,
  type WatchRule,
} from './controller.ts'
export { Dispatcher, type DispatcherIndexes } from './dispatcher.ts'
export { ensure } from './ensure.ts'
export {
  clusterEvents,
  type EventNote,
  EventRecorder,
  isNewlyReady,
  isRecordedReason,
  moduleEvents,
  moduleLines,
  rolloutResult,
  unitEvents,
  unitFields,
  unitLines,
} from './events/index.ts'
export {
  ensureFinalizer,
  type FinalizersTarget,
  hasFinalizer,
  removeFinalizer,
  withFinalizer,
  withoutFinalizer,
} from './finalizers.ts'
export { atThisTime, type HubClockDeps, hubTime, refreshHubClock, waitsForTime } from './hubclock.ts'
export { type CacheChange, cacheOf, type HubKind, type HubKinds } from './hubkinds.ts'
export { HubCacheError, HubTrust } from './hubtrust.ts'
export { KeyedMutex, MAX_ASSIGNMENT_WRITES } from './keyedmutex.ts'
export { lastWriterOf, withoutManagersButWriter } from './lastwriter.ts'
export {
  ARGOCD_NAMESPACES,
  GIT_AUTHOR,
  guardOf,
  MAX_REMOVAL,
  MAX_SOURCE_TIMEOUT_MS,
  type ManagerOptions,
  type WeaveOptions,
} from './options.ts'
export {
  all,
  always,
  annotationsChanged,
  any,
  anyCluster,
  changed,
  created,
  deleted,
  hubCluster,
  memberCluster,
  type Predicate,
  resynced,
  specChanged,
} from './predicates.ts'
export { ReadIndex, type RequestReads } from './readindex.ts'
export {
  type ClusterKey,
  clusterKey,
  kindAndName,
  type ModuleKey,
  moduleKey,
  type ObjectKey,
  type ObjectName,
  objectKey,
  type Request,
  type RequestQueue,
  requestOf,
  type UnitKey,
  unitKey,
} from './requestkeys.ts'
export { conflict, done, failed, MOST_SERVER_MS, requeueAfter, soonest } from './result.ts'
export type { RevisionRecord } from './revisionrecord.ts'
export { startSafetyNet } from './safetynet.ts'
export { type StatusResult, type StatusTargets, StatusWriter } from './statuswriter.ts'
export { UnitWatches } from './unitwatches.ts'
export { WatchIndex } from './watchindex.ts'
export { type WorkerDeps, work } from './worker.ts'
