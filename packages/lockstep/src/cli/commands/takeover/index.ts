// The face of this folder: what others import.
export { takeoverCommand } from './takeover.ts'
