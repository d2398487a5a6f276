// The face of this folder: what others import.
export { assemblageController, noteCluster } from './assemblagecontroller.ts'
