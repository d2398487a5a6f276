// The face of this folder: what others import.
export { importFleeet } from './importfleeet.ts'
