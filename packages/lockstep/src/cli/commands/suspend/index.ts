// The face of this folder: what others import.
export { suspendCommand } from './suspend.ts'
