// The face of this folder: what others import.
export { clusterCommand } from './cluster.ts'
