/** Users of `lockstep up` with the role edit in one namespace. */
import type { ApiServer, User } from '@lockstep/apiserver/server'
import type { KubeObject } from '@lockstep/kube/object'

const MANAGER = 'lockstep-up'
const RBAC = 'rbac.authorization.k8s.io'

/** The user of a namespace. */
export const tenantUser = (namespace: string): User => ({ name: namespace, groups: [] })

/** The namespaces, and the role edit in each for its user. */
export function addTenants({ local }: ApiServer, namespaces: readonly string[]): void {
  for (const namespace of namespaces)
    for (const o of [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      editOf(namespace),
    ]) {
      const made = local.create(o as unknown as KubeObject, MANAGER)
      if (!made.ok) throw new Error(`${o.kind} ${namespace}: ${made.error.message}`)
    }
}

const editOf = (namespace: string) => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'tenant', namespace },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'edit' },
  subjects: [{ apiGroup: RBAC, kind: 'User', name: tenantUser(namespace).name }],
})
