import type { Cluster } from '../../server/embeddedcluster.ts'
import type { Attributes, Decision } from '../attributes.ts'
import type { User } from '../user.ts'
import { aggregate, grants } from './rolegrants.ts'
import { allows } from './policyrule.ts'

/** Whether a role that is bound to the user allows it; texts of kubernetes plugin/pkg/auth/authorizer/rbac. */
export function authorizeByRoles(cluster: Cluster, user: User, a: Attributes): Decision {
  const problems: string[] = []
  for (const g of grants(cluster, user, 'path' in a ? '' : a.namespace)) {
    if ('problem' in g) problems.push(g.problem)
    else if (allows(g.rule, a)) return { allowed: true, reason: `RBAC: allowed by ${g.by()}` }
  }
  return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregate(problems)}` }
}
