// The face of this folder: what others import.
export { isOfSet, Sets } from './sets.ts'
