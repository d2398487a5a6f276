import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { Attributes, Decision } from './attributes.ts'
import { authorizeByRoles } from './rbac/authorizebyroles.ts'
import type { User } from './user.ts'
import { MASTERS } from './user.ts'

export type Authorize = (user: User, a: Attributes) => Decision

/** Masters may do everything; whoever else has a role that allows it. */
export const authorizer =
  (cluster: EmbeddedCluster): Authorize =>
  (user, a) =>
    user.groups.includes(MASTERS) ? { allowed: true, reason: '' } : authorizeByRoles(cluster, user, a)
