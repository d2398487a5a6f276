// The face of this folder: what others import.
export { statusCommand } from './status.ts'
