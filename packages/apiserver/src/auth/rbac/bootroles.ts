import { deepFreeze, type KubeObject } from '@lockstep/kube/object'
import type { EmbeddedCluster } from '../../server/embeddedcluster.ts'
import { timestamp } from '../../server/embeddedcluster.ts'
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from '../user.ts'
import { aggregateRoles } from './aggregateroles.ts'
import type { PolicyRule } from './policyrule.ts'
import { RBAC } from './rolegrants.ts'
import * as rules from './rolerules.ts'

const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-'

/** The roles that every cluster has (kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy), without those of components. */
function defaultRoles(): KubeObject[] {
  const plain = [
    role('cluster-admin', rules.clusterAdminRules),
    role('system:aggregate-to-admin', rules.adminRoleRules, to('admin')),
    role('system:aggregate-to-edit', rules.editRoleRules, to('edit')),
    role('system:aggregate-to-view', rules.viewRoleRules, to('view')),
    role('system:basic-user', rules.selfReviewRules),
    role('system:discovery', rules.discoveryRules),
    role('system:monitoring', rules.monitoringRules),
    role('system:public-info-viewer', rules.publicInfoRules),
    role('system:service-account-issuer-discovery', rules.issuerDiscoveryRules),
  ]
  const view = gathered('view', plain, to('edit'))
  const edit = gathered('edit', [...plain, view], to('admin'))
  return [...plain, view, edit, gathered('admin', [...plain, view, edit])]
}

const to = (name: string): Readonly<Record<string, string>> => ({ [`${AGGREGATE}${name}`]: 'true' })

const meta = (name: string, labels: Readonly<Record<string, string>> = {}): KubeObject['metadata'] => ({
  name,
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
})

const role = (
  name: string,
  list: readonly PolicyRule[],
  labels?: Readonly<Record<string, string>>,
): KubeObject =>
  ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: meta(name, labels),
    rules: list,
  }) as unknown as KubeObject

function gathered(
  name: string,
  others: readonly KubeObject[],
  labels?: Readonly<Record<string, string>>,
): KubeObject {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: to(name) }] }
  const empty = { ...role(name, [], labels), aggregationRule } as KubeObject
  return { ...empty, rules: aggregateRoles(empty, others) } as unknown as KubeObject
}

const binding = (name: string, ...groups: readonly string[]): KubeObject =>
  ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: meta(name),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: groups.map((g) => ({ apiGroup: RBAC, kind: 'Group', name: g })),
  }) as unknown as KubeObject

const defaultBindings = (): KubeObject[] => [
  binding('cluster-admin', MASTERS),
  binding('system:basic-user', AUTHENTICATED),
  binding('system:discovery', AUTHENTICATED),
  binding('system:monitoring', 'system:monitoring'),
  binding('system:public-info-viewer', AUTHENTICATED, UNAUTHENTICATED),
  binding('system:service-account-issuer-discovery', 'system:serviceaccounts'),
]

/** Made once for all clusters, which share everything in them but who they are. */
let defaults: readonly KubeObject[] | undefined

/**
 * Puts the roles and bindings of every cluster in place. They are known to be right, so they do not take the way of other
 * writes: a cluster has to be there within a millisecond.
 */
export function bootRoles(cluster: EmbeddedCluster): void {
  defaults ??= deepFreeze([...defaultRoles(), ...defaultBindings()])
  // A stream of their own: what comes after them has the identities that it would have without.
  const random = cluster.env.random.fork('roles')
  for (const o of defaults) {
    const kind = cluster.kinds.byType(o.apiVersion, o.kind)
    if (!kind) continue
    const metadata = { ...o.metadata, uid: random.uuid(), creationTimestamp: timestamp(cluster) }
    cluster.store.put(
      kind.table,
      o.metadata.name ?? '',
      { ...o, metadata },
      { verb: 'create', actor: 'kube-apiserver' },
    )
  }
}
