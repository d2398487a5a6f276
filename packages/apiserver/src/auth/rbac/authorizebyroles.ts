import type { EmbeddedCluster } from '../../server/embeddedcluster.ts'
import type { Attributes, Decision } from '../attributes.ts'
import type { User } from '../user.ts'
import { allows } from './policyrule.ts'
import { aggregate, roleGrants } from './rolegrants.ts'

/** Whether a role that is bound to the user allows it; texts of kubernetes plugin/pkg/auth/authorizer/rbac. */
export function authorizeByRoles(cluster: EmbeddedCluster, user: User, a: Attributes): Decision {
  const problems: string[] = []
  for (const g of roleGrants(cluster, user, 'path' in a ? '' : a.namespace)) {
    if ('problem' in g) problems.push(g.problem)
    else if (allows(g.rule, a)) return { allowed: true, reason: `RBAC: allowed by ${g.by()}` }
  }
  return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregate(problems)}` }
}
