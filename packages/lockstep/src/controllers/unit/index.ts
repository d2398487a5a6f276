// The face of this folder: what others import.
export { setWordsOf } from './deliveredevents.ts'
export { unmarkOrphaned } from './orphanobjects.ts'
export { completedRehash } from './rehash.ts'
export { unitController } from './unitcontroller.ts'
export { revisionOfUnit, unitRequest, writeInventory } from './unitscope.ts'
export { isAdmittedAsAsked, isOlderThan, unitTargetOf } from './unittarget.ts'
export {
  dependenciesOf,
  dependentModules,
  waitersView,
  wavesAskedBy,
} from './watch/dependentunits.ts'
export { foreignOf, modulesNeededByForeign } from './watch/foreignunits.ts'
export { gateEdgeOf } from './watch/gateedges.ts'
export { changedRecords } from './watch/groupunits.ts'
export { hasExternalWatcher, moduleWatchers } from './watch/modulewatchers.ts'
export { UnitLabels } from './watch/unitlabels.ts'
export {
  hubInventories,
  modulesBeside,
  modulesOnCluster,
  targetsOf,
  type UnitWatchDeps,
} from './watch/watches.ts'
