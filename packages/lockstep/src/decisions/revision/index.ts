// The face of this folder: what others import.
export { contentOfSource, contentOfSpec } from './contentofspec.ts'
export { type ResolvedInput, revisionOf } from './revision.ts'
export { specProblems } from './specproblems.ts'
