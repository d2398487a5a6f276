// The face of this folder: what others import.
export { handbackCommand } from './handback.ts'
