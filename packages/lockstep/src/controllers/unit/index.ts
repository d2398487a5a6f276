// The face of this folder: what others import.
export { secretHoldersOf } from './boundbundle.ts'
export { definedKinds } from './definedkinds.ts'
export { setWordsOf } from './deliveredevents.ts'
export { recordOnStop } from './delivery/recordonstop.ts'
export { UnitMemories } from './delivery/unitmemories.ts'
export { type ContentScope, contentText, foreignContent } from './handover/foreigncontent.ts'
export { pendingHandover } from './handover/handoverconditions.ts'
export { UnitClaims, type UnitClaimsDeps } from './handover/unitclaims.ts'
export { unmarkOrphaned } from './orphanobjects.ts'
export { completedRehash } from './rehash.ts'
export { unitController } from './unitcontroller.ts'
export { revisionOfUnit, unitRequest, writeInventory } from './unitscope.ts'
export { isAdmittedAsAsked, isOlderThan, unitTargetOf } from './unittarget.ts'
export { UnitLabels } from './watch/unitlabels.ts'
export { externalAssemblagesOn } from './watch/unitsof.ts'
export {
  hubInventories,
  modulesBeside,
  modulesOnCluster,
  targetsOf,
  type UnitWatchDeps,
} from './watch/watches.ts'
