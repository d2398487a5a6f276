// The face of this folder: what others import.
export { applyCommand } from './apply.ts'
