/** Rights of the accounts that Modules act as, for tests of everything else. */
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'

const RBAC = 'rbac.authorization.k8s.io'

export const clusterRoleBindingKind = defineKind<KubeObject>({
  group: RBAC,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
})

/** Every ServiceAccount of the hub, or of one namespace, may do everything. */
export const accountsAdmin = (namespace?: string): KubeObject =>
  ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: namespace === undefined ? 'all-accounts' : `accounts-${namespace}` },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [
      {
        apiGroup: RBAC,
        kind: 'Group',
        name: `system:serviceaccounts${namespace === undefined ? '' : `:${namespace}`}`,
      },
    ],
  }) as KubeObject
