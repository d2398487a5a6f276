// The face of this folder: what others import.
export { setWordsOf } from './deliveredevents.ts'
export { unmarkOrphaned } from './orphanobjects.ts'
export { completedRehash } from './rehash.ts'
export { unitController } from './unitreconciler.ts'
export { revisionOfUnit, unitRequest, writeInventory } from './unitscope.ts'
export { isAdmittedAsAsked, isOlderThan, unitTargetOf } from './unittarget.ts'
export { changedRecords } from './watch/affectedunits.ts'
export {
  dependantModules,
  dependenciesOf,
  waitersView,
  wavesAskedBy,
} from './watch/dependants.ts'
export { foreignOf, modulesNeededByForeign } from './watch/foreignunits.ts'
export { gateEdgeOf } from './watch/gateedges.ts'
export { UnitLabels } from './watch/unitlabels.ts'
export { foreignLooksAt, modulesLookingAt } from './watch/watchedselections.ts'
export { hubInventories, modulesOnCluster, targetsOf, type UnitWatchDeps } from './watch/watches.ts'
