// The face of this folder: what others import.
export { backoffMs } from './backoff.ts'
export { type Priority, type QueueRequest, type ReconcileResult, WorkQueue } from './workqueue.ts'
