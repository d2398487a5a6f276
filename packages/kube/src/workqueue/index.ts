// The face of this folder: what others import.
export { backoffMs } from './backoff.ts'
export { type Priority, type ReconcileResult, type Request, WorkQueue } from './workqueue.ts'
