// The face of this folder: what others import.
export { conditionIs, type Health } from './healthstate.ts'
export { classNameOf, defaultClass, isUnbound, unboundHealth } from './unboundhealth.ts'
