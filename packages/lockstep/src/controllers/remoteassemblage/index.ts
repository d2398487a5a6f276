// The face of this folder: what others import.
export { assemblageController, noteCluster } from './assemblagereconciler.ts'
