/** The embedded Kubernetes API: what the command line and the tests use of it. */

export type { AccessOptions } from '../auth/authenticate.ts'
export { ADMIN } from '../auth/user.ts'
export type { Snapshot } from '../store/snapshot.ts'
export type { ApiServer } from './apiserver.ts'
export { createApiServer } from './apiserver.ts'
export type { LocalApi } from './localapi.ts'
export { localGuard } from './localguard.ts'
export { serveClusters } from './serveclusters.ts'
export type { CommitListener, CommitRecord } from './tracewrites.ts'
