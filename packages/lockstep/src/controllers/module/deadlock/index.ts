// The face of this folder: what others import.
export { Deadlocks, type DeadlockVerdict } from './deadlocks.ts'
