// The face of this folder: what others import.
export { LEASE_NAMESPACE } from './lease.ts'
export { startClusterApi } from './startclusterapi.ts'
