// The face of this folder: what others import.
export { admissionEffects } from './admissioneffects.ts'
export { type Admission, unusable } from './admit.ts'
export { moduleSelections } from './checkpoint.ts'
export { unmarkOrphaned } from './orphanobjects.ts'
export { completedRehash } from './rehash.ts'
export { UNIT_CONTROLLER, UnitReconciler, unitOfKey } from './unitreconciler.ts'
export { revisionOfUnit, type UnitScope, writeInventory } from './unitscope.ts'
export { isAdmittedAsAsked, isOlderThan, unitTargetOf } from './unittarget.ts'
