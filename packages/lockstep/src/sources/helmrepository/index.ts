// The face of this folder: what others import.
export { chartMovement } from './chartmovement.ts'
