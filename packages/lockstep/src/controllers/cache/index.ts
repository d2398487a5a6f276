// The face of this folder: what others import.

export {
  admittedAssignment,
  assignmentOf,
  type NewAssignment,
  newAssignment,
  toAssignment,
  unitSummary,
} from './assignmentof.ts'
export { budgetFactsOfClusters, disruptedClusters } from './budget/budgetfacts.ts'
export { BudgetLedger, type ObservedBudget } from './budget/budgetledger.ts'
export { targetModuleOf, targetsPipeline } from './cacheindexes.ts'
export { possibleDependents, requestedWaves, requiredDependents } from './dependents.ts'
export { DigestKeys, isRehashRequested, KEY_REQUEST, keyController } from './digestkeys.ts'
export {
  clusterOfExternal,
  externalAssignment,
  externalAssignmentBlocker,
  externalRef,
  externalTarget,
  revisionIn,
} from './externalassignments.ts'
export {
  approvalsOf,
  approvalView,
  holdsOn,
  holdView,
  isThere,
  pauseOfSet,
  writesHeld,
  writesHeldNow,
} from './holds.ts'
export {
  CACHED_KINDS,
  type HubCaches,
  type HubEvents,
  type HubInformers,
  lookupsOf,
  openHub,
  resyncCaches,
} from './hubcaches.ts'
export { REVIEW_AGAIN_MS } from './inputs/accessreviews.ts'
export {
  areInputObjectsCurrent,
  countParsed,
  inputRight,
  inputSelection,
  inputVersion,
  type ObservedInput,
  observeInput,
} from './inputs/inputobjects.ts'
export {
  APPROVAL_RETRY_MS,
  isLiveApproval,
  isPruneApproved,
  type PruneQuestion,
  pruneConsents,
  unreadableApprovalText,
} from './liveapproval.ts'
export { confirmLiveness } from './liveness.ts'
export {
  allModules,
  MODULE_CONTROLLER,
  moduleIndexOf,
  moduleRequest,
  modulesOfCluster,
} from './moduleindex.ts'
export {
  isOtherCluster,
  type LiveReads,
  type ObservationDeps,
  observationOf,
  observedUnit,
  publishedFrom,
  publishedOf,
} from './observation.ts'
export {
  isForgotten,
  lastPromotionView,
  lastRequested,
  laterPromotions,
  promotionHistory,
  promotionView,
} from './promotionhistory.ts'
export { hasReachedQuiescence } from './quiescence.ts'
export {
  readsOf,
  readsOfCluster,
  readsOfUnit,
  recordedHub,
  selectionRead,
} from './recordedhub.ts'
export { allReferences, type HubReferences, referencesOf, referenceTo } from './references.ts'
export { ReportedRevisions } from './reportedrevisions.ts'
export {
  controllerRevisionOf,
  edgesOf,
  moduleRevisionsLabel,
  type NewRevision,
  type RevisionRecord,
  readRevision,
  revisionName,
  revisionRecordOf,
  unknownRevision,
} from './revisions.ts'
export {
  companionRef,
  isOfSet,
  type ManagedSetPlan,
  SET_KIND,
  type SetClusterState,
  setInventories,
  setInventoryOn,
  setRef,
} from './setplan.ts'
export { isCompanion, isManagedSet, isOwnDefinition, SetPlans, selectsBySet } from './setplans.ts'
export { StampStore } from './stampstore.ts'
export { statusTargets } from './statustargets.ts'
export { findRevisionRecord, lastCompleteRevision, targetRevisionFor } from './targetrevision.ts'
export { isUnhealthy, isUnitHealthy } from './unithealth.ts'
