// The face of this folder: what others import.
export { approveCommand, PRUNE_STAGE, pruneApprovals, usedFirst } from './approvals/approvals.ts'
export {
  type ApprovalTarget,
  approvalStatusOf,
  deletedLateText,
  holdStatusOf,
} from './approvals/approvalstatus.ts'
export { amountOf } from './budgets/amount.ts'
export {
  afterTurn,
  type ConfirmedSlots,
  leftOverIn,
  repairBudgetLedger,
  unconfirmed,
  withoutClusters,
  withStarts,
  withWaiter,
} from './budgets/budgetledger.ts'
export {
  type BudgetEntry,
  type BudgetFacts,
  type CountedCluster,
  type DisruptionBudgetView,
  disruptionBudgetView,
  hasRoom,
  useText,
} from './budgets/disruption.ts'
export { areTooManyRemovals, countedRemovals, FEW_UNITS, type HubRemovals, withBegun } from './hubremovals.ts'
export {
  type Membership,
  membershipOf,
  type Removals,
  removalsWith,
  type TooManyRemovals,
} from './membership.ts'
export type { Amount, StageGateRef, StagePolicy } from './policy.ts'
export { isToRemove } from './removal/removalcounts.ts'
export { type UnitRemoval, unitRemovalOf } from './removal/unitremoval.ts'
export { clustersOfRetry, retriedOn, retryText } from './retry.ts'
export { schedule } from './schedule.ts'
export {
  frozenBy,
  recordedStage,
  type StageMember,
  selectedTwice,
  stagesOf,
  WHOLE_STAGE,
} from './stagemembers.ts'
export {
  type DependencyRollback,
  fleetRevision,
  type HistoryRevision,
  isRolledBack,
  lastComplete,
  type TargetRevision,
  type TargetRevisionCause,
  targetRevisionOf,
} from './targetrevision.ts'
export { type ClockSkew, clockSkewOf } from './time/clockskew.ts'
export { openingText, type RolloutWindow, windowsAt } from './time/windows.ts'
export type {
  ApprovalView,
  ClusterState,
  InFlightEntry,
  RemovalCounts,
  ScheduleInput,
  ScheduleOutput,
  StartKind,
  TargetBundle,
  UnitAt,
  UnitClocks,
  UnitHold,
  UnitStart,
  UnitView,
} from './types.ts'
export {
  activeHolds,
  type HoldView,
  holdEndsIn,
  isHeldBack,
  moduleHeldBy,
  resolveUnitHolds,
  writesHeldBy,
} from './unitholds.ts'
export { unitRevision } from './unitrevision.ts'
export type { RolloutWaits, UnitStop, UnitWait } from './unitwait.ts'
export { entryId } from './withdrawal.ts'
