// The face of this folder: what others import.
export { Sets } from './sets.ts'
