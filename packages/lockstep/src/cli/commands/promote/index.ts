// The face of this folder: what others import.
export { promoteCommand } from './promote.ts'
