// The face of this folder: what others import.
export { moduleSelections } from './checkpoint.ts'
export { setWordsOf } from './deliveredevents.ts'
export { unmarkOrphaned } from './orphanobjects.ts'
export { completedRehash } from './rehash.ts'
export { UNIT_CONTROLLER, UnitReconciler, unitOfKey } from './unitreconciler.ts'
export { revisionOfUnit, writeInventory } from './unitscope.ts'
export { isAdmittedAsAsked, isOlderThan, unitTargetOf } from './unittarget.ts'
