// The face of this folder: what others import.
export { getClusters } from './getclusters.ts'
