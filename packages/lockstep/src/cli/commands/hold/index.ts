// The face of this folder: what others import.
export { holdCommand, releaseCommand } from './hold.ts'
