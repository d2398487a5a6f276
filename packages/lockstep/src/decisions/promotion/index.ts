// The face of this folder: what others import.
export {
  approvalBlocker,
  type BeginInput,
  begin,
  type EnvironmentHold,
  heldBlocker,
  heldBy,
  type ObservedApproval,
  windowBlocker,
} from './begin.ts'
export { type CheckResult, type ConvergeResult, convergeStep, dependsOnTargets } from './convergestep.ts'
export { edit } from './edit/edit.ts'
export { editFileFilter, MAX_FILES } from './edit/editfiles.ts'
export type { EditRefusal, EditResult } from './edit/editresult.ts'
export { MAX_FILE_BYTES } from './edit/sourcetext.ts'
export {
  decideEnvironment,
  divergenceRecordedBy,
  type EnvironmentDecision,
  forgetsDivergence,
  restoredIntents,
  ruleOfEnvironment,
  SEEN_MS,
  sourceNames,
  sourceSeen,
} from './environmentdecision.ts'
export {
  askedWithoutPromotion,
  type EnvironmentIntent,
  type EpochFloor,
  type IntentDue,
  intentDue,
  isSourceAt,
  keepSource,
  type LastAsked,
  rollbackIntent,
  type SourceObservation,
  type UnsettledSource,
  unsettledBlocker,
} from './environmentintent.ts'
export {
  type EnvironmentRevision,
  environmentRevisionOf,
  isAtRevision,
  lostTargets,
} from './environmentrevision.ts'
export { type EpochFloorInput, epochFloorOf, FLOOR_COMMITS } from './epochfloor.ts'
export {
  type ExternalFailureKind,
  type FailureCategory,
  failureCategoryOf,
  MERGE_WAIT_MS,
  reasonOf,
  retryDelayMs,
  WAIT_MS,
} from './failurecategory.ts'
export { callerOf, trustedProxies } from './hook/caller.ts'
export { isJson, pathOf, routeOf, type WebhookResponse } from './hook/eventroute.ts'
export { isSigned } from './hook/signedrequest.ts'
export {
  type EventSubject,
  eventProblem,
  type HeardRevision,
  heardRevision,
  readEvent,
  timeProblem,
} from './hook/webhookevent.ts'
export { commitOfRevision, isCausedByPromotion, loopGuardBlocker } from './loopguard.ts'
export {
  afterModules,
  type ModuleFound,
  type ModuleObservation,
  type ModuleSource,
  type ModuleVersion,
  moduleEdit,
  moduleRef,
  moduleVersionOf,
  noEdit,
  PROMOTION_ANNOTATION,
  pendingModules,
  promotedModuleText,
} from './moduleedit.ts'
export { afterEvent, EVENT_TYPE, notificationData } from './notificationdata.ts'
export { branchName, branchPrefix, keyOfPromotion, type PromotionId, promotionName } from './promotionkey.ts'
export {
  externalRef,
  firstRefs,
  type PromotionObject,
  pipelineRef,
  promotionRef,
  type TargetRef,
  targetObjectRef,
} from './promotionref.ts'
export {
  idProblem,
  invalidRequest,
  promotionRequestOf,
  REQUEST_PREFIX,
  requestText,
} from './promotionrequest.ts'
export {
  changesDestination,
  failedStep,
  isEnded,
  type NewerPromotion,
  POLL_MS,
  type PromotionEffect,
  type PromotionHold,
  type PromotionState,
  type PromotionStep,
  waitFor,
  whileHeld,
} from './promotionstate.ts'
export {
  closingBlocker,
  lateClosing,
  mayBeOpen,
  nextClosingEffect,
  shouldClosePullRequests,
  unlistedClosing,
} from './pullrequest/closepullrequests.ts'
export { closingUntilMs, listDelayUntilMs } from './pullrequest/listdelay.ts'
export {
  type BaseObservation,
  type BranchObservation,
  LISTS_BEHIND_MS,
  lookUpPullRequest,
  type PullRequestLookup,
  type PullRequestObservation,
} from './pullrequest/pullrequestlookup.ts'
export { pullRequestStep } from './pullrequest/pullrequeststep.ts'
export { isInBase, sweep } from './pullrequest/sweep.ts'
export { pushStep } from './pushstep.ts'
export {
  type CheckTarget,
  failedCheck,
  jobCheck,
  jobInTheWay,
  jobName,
  metricCheck,
  passedCheck,
  readyCheck,
  runningCheck,
  sampleOf,
  startingCheck,
} from './readycheck.ts'
export type { RepoFile } from './repofile.ts'
export {
  type AutomaticHold,
  detectDivergence,
  divergenceHold,
  epochOfHold,
  findRollback,
  type LastPromotion,
  lastAtBase,
  lastDone,
  noRollback,
  ownHoldName,
  type RollbackWay,
  recordDivergence,
  recordedDivergence,
  retainDivergence,
  revertedHold,
  rollbackHold,
  rollingBack,
  unrecordedRevert,
} from './rollback.ts'
export {
  type TargetObservation,
  type TargetState,
  targetStateOf,
  type UnreadableTarget,
} from './targetstate.ts'
export { keyInBody, messageOf, type Trailers, titleOf, trailersOf, withKey } from './trailers.ts'
