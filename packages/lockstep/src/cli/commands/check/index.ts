// The face of this folder: what others import.
export { checkCommand } from './check.ts'
