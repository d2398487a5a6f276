/** The embedded Kubernetes API: what the command line and the tests use of it. */
export { serveClusters } from './clusters.ts'
export type { ApiServer } from './server.ts'
export { createApiServer } from './server.ts'
export type { Snapshot } from './store/snapshot.ts'
export type { CommitListener, CommitRecord } from './trace.ts'
