// The face of this folder: what others import.
export { removalCommand } from './removal.ts'
