// The face of this folder: what others import.
export { afterCreate, afterLook } from './deletionfight.ts'
export { type Drift, driftFact, driftText } from './drift.ts'
export { afterDriftRevert } from './driftrevert.ts'
