/** Deliveries by an account of the corner's cluster that has the rights it is given, and no other ones. */
import { expect } from 'vitest'
import { ANY, value } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind, type Kind } from '../../packages/kube/src/object/kind.ts'
import { parseKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import type { Corner } from './fleetsubject.ts'

const RBAC = 'rbac.authorization.k8s.io'
const FORCE = { ...ANY, force: true } as const

const kind = (group: string, name: string, plural: string, namespaced: boolean): Kind =>
  defineKind({ group, version: 'v1', kind: name, plural, namespaced })
const accountKind = kind('', 'ServiceAccount', 'serviceaccounts', true)
const roleKind = kind(RBAC, 'ClusterRole', 'clusterroles', false)
const bindingKind = kind(RBAC, 'ClusterRoleBinding', 'clusterrolebindings', false)

export interface AccountRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/** From now on the corner's cluster is spoken to by its account `deliver`, with a token of the cluster. */
export async function deliveredBy(c: Corner, rules: readonly AccountRule[]): Promise<void> {
  const { namespace } = c
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'deliver', namespace } }
  value(await c.c1.apply(accountKind, account, FORCE))
  await grant(c, 'deliver', rules)
  const config = JSON.parse(c.subject.c1.kubeconfig)
  const users = [{ name: config.users[0].name, user: { token: await tokenOf(c) } }]
  await c.cluster('c1', JSON.stringify({ ...config, users }))
}

/** Gives the account more rights; `name` is that of the role in this corner. */
export async function grant(c: Corner, name: string, rules: readonly AccountRule[]): Promise<void> {
  const { namespace } = c
  const metadata = { name: `${namespace}-${name}` }
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: metadata.name }
  const subjects = [{ kind: 'ServiceAccount', name: 'deliver', namespace }]
  const role = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules }
  const binding = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects }
  value(await c.c1.apply(roleKind, role as KubeObject, FORCE))
  value(await c.c1.apply(bindingKind, binding as KubeObject, FORCE))
}

async function tokenOf(c: Corner): Promise<string> {
  const target = parseKubeconfig(c.subject.c1.kubeconfig, 'Person')
  if (!target.ok) throw new Error(target.error.message)
  const connection = c.subject.env.net.connect(target.value.source.endpoint, 'operator')
  const asked = await connection.request({
    method: 'POST',
    path: `/api/v1/namespaces/${c.namespace}/serviceaccounts/deliver/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
  })
  if (!asked.ok) throw new Error(asked.error.detail)
  const text = await asked.value.text()
  await connection.close()
  if (!text.ok) throw new Error(text.error.detail)
  expect(asked.value.status, text.value).toBe(201)
  return JSON.parse(text.value).status.token
}
