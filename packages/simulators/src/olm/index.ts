// The face of this folder: what others import.
export type { OperatorPlans } from './operatorplans.ts'
export { patternDefinitions } from './patterndefinitions.ts'
