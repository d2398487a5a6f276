// The face of this folder: what others import.

export { assignmentOfStart } from './assign.ts'
export { Deadlocks } from './deadlock/index.ts'
export { moduleBlockers } from './moduleblockers.ts'
export { moduleController } from './modulecontroller.ts'
export { moduleStatus } from './modulestatus.ts'
export { namedOrphans, orphanUnit } from './orphanunits.ts'
export { isPredecessors, predecessorBlockers } from './predecessor.ts'
export { nextAllowance, RemovalGuard, removalPolicy, removalProgressOf } from './removal/index.ts'
export {
  decideSchedule,
  desiredStateFor,
  emptyRollout,
  type RolloutMemory,
  rememberDecision,
  type ScheduleDecision,
  type SchedulerDeps,
} from './schedule.ts'
export { UNKNOWN_BINDINGS, type UnitFacts } from './unitviews.ts'
