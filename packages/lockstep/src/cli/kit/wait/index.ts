// The face of this folder: what others import.
export { untilMet, type WaitEnd } from './untilmet.ts'
export { failureOf, hopelessOf, lacking, waitGoalOf } from './waitgoal.ts'
export { waitResult } from './waitreport.ts'
