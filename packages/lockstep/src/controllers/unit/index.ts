// The face of this folder: what others import.
export { moduleSelections } from './checkpoint.ts'
export { setWordsOf } from './deliveredevents.ts'
export { unmarkOrphaned } from './orphanobjects.ts'
export { completedRehash } from './rehash.ts'
export { UnitReconciler } from './unitreconciler.ts'
export { revisionOfUnit, UNIT_CONTROLLER, writeInventory } from './unitscope.ts'
export { isAdmittedAsAsked, isOlderThan, unitTargetOf } from './unittarget.ts'
