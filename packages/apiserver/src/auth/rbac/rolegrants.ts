import { goQuote } from '@lockstep/kube/fields'
import { isArray, isString, type KubeObject, member } from '@lockstep/kube/object'
import type { ServedKind } from '../../resources/servedkind.ts'
import type { EmbeddedCluster } from '../../server/embeddedcluster.ts'
import type { User } from '../user.ts'
import { serviceAccountName } from '../user.ts'
import type { PolicyRule } from './policyrule.ts'

export const RBAC = 'rbac.authorization.k8s.io'

export interface RoleRef {
  readonly kind: string
  readonly name: string
}

interface RoleSubject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** A rule that a user has, and by which binding; or a binding whose role is not there. */
export type RoleGrant =
  | { readonly rule: PolicyRule; readonly by: () => string }
  | { readonly problem: string }

/**
 * The rules of a user in a namespace, one by one: bindings of the whole cluster, then those of the namespace
 * (kubernetes pkg/registry/rbac/validation VisitRulesFor).
 */
export function* roleGrants(cluster: EmbeddedCluster, user: User, namespace: string): Generator<RoleGrant> {
  for (const b of bindings(cluster, 'clusterrolebindings', '')) yield* granted(cluster, user, b)
  if (namespace === '') return
  for (const b of bindings(cluster, 'rolebindings', namespace)) yield* granted(cluster, user, b)
}

/** What a user may do in a namespace, and what could not be found out. */
export function rulesFor(
  cluster: EmbeddedCluster,
  user: User,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly problems: readonly string[] } {
  const rules: PolicyRule[] = []
  const problems: string[] = []
  for (const g of roleGrants(cluster, user, namespace))
    if ('rule' in g) rules.push(g.rule)
    else problems.push(g.problem)
  return { rules, problems }
}

/** Several problems as one text (apimachinery pkg/util/errors aggregate). */
export function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)]
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`
}

const kindFor = (cluster: EmbeddedCluster, plural: string): ServedKind | undefined =>
  cluster.kinds.find(RBAC, 'v1', plural)

function* bindings(cluster: EmbeddedCluster, plural: string, namespace: string): Generator<KubeObject> {
  const table = kindFor(cluster, plural)?.table
  const prefix = namespace === '' ? '' : `${namespace}/`
  for (const key of table?.live.keys(prefix, prefix) ?? []) yield table!.live.get(key)!.object
}

function* granted(cluster: EmbeddedCluster, user: User, binding: KubeObject): Generator<RoleGrant> {
  const namespace = binding.metadata.namespace ?? ''
  const subjects = isArray(binding.subjects) ? (binding.subjects as unknown as readonly RoleSubject[]) : []
  const subject = subjects.find((s) => isMeant(s, user, namespace))
  if (!subject) return
  const ref = roleRefOf(binding)
  const rules = rulesOf(cluster, ref, namespace)
  if (!rules) {
    yield { problem: `${ref.kind.toLowerCase()}.${RBAC} ${goQuote(ref.name)} not found` }
    return
  }
  const by = (): string => describe(binding, ref, subject)
  for (const rule of rules) yield { rule, by }
}

export const roleRefOf = (binding: KubeObject): RoleRef => ({
  kind: text(binding, 'kind'),
  name: text(binding, 'name'),
})

function text(binding: KubeObject, name: string): string {
  const value = member(binding.roleRef, name)
  return isString(value) ? value : ''
}

/** The rules of a role; undefined if it is not there. A ClusterRole in a namespace's binding allows for that namespace. */
export function rulesOf(
  cluster: EmbeddedCluster,
  ref: RoleRef,
  namespace: string,
): readonly PolicyRule[] | undefined {
  const isLocal = ref.kind === 'Role'
  const table = kindFor(cluster, isLocal ? 'roles' : 'clusterroles')?.table
  const role = table?.live.get(isLocal ? `${namespace}/${ref.name}` : ref.name)
  return role && policyRules(role.object)
}

export const policyRules = (role: KubeObject): readonly PolicyRule[] =>
  isArray(role.rules) ? (role.rules as unknown as readonly PolicyRule[]) : []

function isMeant(s: RoleSubject, user: User, namespace: string): boolean {
  if (s.kind === 'User') return s.name === user.name
  if (s.kind === 'Group') return user.groups.includes(s.name)
  const home = s.namespace || namespace
  return s.kind === 'ServiceAccount' && home !== '' && serviceAccountName(home, s.name) === user.name
}

function describe(binding: KubeObject, ref: RoleRef, s: RoleSubject): string {
  const { name = '', namespace } = binding.metadata
  const isAccount = s.kind === 'ServiceAccount'
  const who = isAccount ? `${s.name}/${s.namespace || namespace}` : s.name
  const bound = namespace === undefined ? name : `${name}/${namespace}`
  return `${binding.kind} ${goQuote(bound)} of ${ref.kind} ${goQuote(ref.name)} to ${s.kind} ${goQuote(who)}`
}
