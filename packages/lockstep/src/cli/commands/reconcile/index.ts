// The face of this folder: what others import.
export { reconcileCommand } from './reconcile.ts'
