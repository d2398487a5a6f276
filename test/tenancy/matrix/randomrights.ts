/** Roles and bindings of an account: those that a case needs, written in one of many ways, and often with one mistake. */
import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import { chance, pick } from '../../simulation/scenario.ts'
import type { MatrixScene, RequiredRight } from './matrixscene.ts'

const RBAC = 'rbac.authorization.k8s.io'
const ALL = '*'
const MISTAKE = 0.5
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'impersonate']

/** Rights to one resource in one place. */
interface GrantedRights {
  readonly verbs: readonly string[]
  readonly group: string
  readonly resource: string
  readonly names?: readonly string[] | undefined
  /** Where the binding is; none: in the whole hub. */
  readonly namespaces: readonly string[]
  /** Nothing is bound. */
  readonly isUnbound?: boolean
  readonly isOfAnother?: boolean
}

export function randomRights(
  random: Random,
  scene: MatrixScene,
  needs: readonly RequiredRight[],
): KubeObject[] {
  const exact = exactRights(random, needs)
  const wide = exact.map((r) => widened(random, scene, r))
  const isWrong = chance(random, MISTAKE)
  const wrong = isWrong ? Math.floor(random.next() * wide.length) : -1
  const granted = wide.map((r, i) => (i === wrong ? pick(random, MISTAKES)(random, scene, exact[i]!) : r))
  const noise = chance(random, 0.3) ? [otherRights(random, scene)] : []
  return [...granted, ...noise].flatMap((r, i) => objectsOf(random, scene, r, `${scene.own}-${i}`))
}

/** For each resource in each place; requests with a name apart from those without, or together. */
function exactRights(random: Random, needs: readonly RequiredRight[]): GrantedRights[] {
  const isByName = chance(random, 0.3)
  const out = new Map<string, GrantedRights>()
  for (const { verb, group, resource, namespace, name } of needs) {
    const names = isByName && name !== undefined ? [name] : undefined
    const key = JSON.stringify([group, resource, namespace, names])
    const verbs = [...(out.get(key)?.verbs ?? []), verb]
    out.set(key, { verbs, group, resource, names, namespaces: namespace === undefined ? [] : [namespace] })
  }
  return [...out.values()]
}

/** The same right, or more. */
function widened(random: Random, { own, other }: MatrixScene, r: GrantedRights): GrantedRights {
  const isWide = (): boolean => chance(random, 0.15)
  return {
    ...r,
    verbs: isWide() ? [ALL] : r.verbs,
    group: isWide() ? ALL : r.group,
    resource: isWide() ? ALL : r.resource,
    namespaces: isWide() ? [] : isWide() && r.namespaces.length > 0 ? [own, other] : r.namespaces,
  }
}

type Mistake = (random: Random, scene: MatrixScene, r: GrantedRights) => GrantedRights

const MISTAKES: readonly Mistake[] = [
  (random, _, r) => ({ ...r, verbs: without(r.verbs, pick(random, r.verbs)) }),
  (random, _, r) => ({ ...r, verbs: without(r.verbs, pick(random, r.verbs)) }),
  (random, _, r) => ({ ...r, group: pick(random, ['apps', 'example.com', r.group === '' ? 'batch' : '']) }),
  (random, _, r) => ({ ...r, resource: pick(random, ['pods', `${r.resource}/status`]) }),
  (_, { name }, r) => ({ ...r, names: [`${name}-2`] }),
  (_, { name }, r) => ({ ...r, names: [name] }),
  (_, { own, other }, r) => ({ ...r, namespaces: [r.namespaces.includes(own) ? other : own] }),
  (_, __, r) => ({ ...r, isUnbound: true }),
  (_, __, r) => ({ ...r, isOfAnother: true }),
]

const without = (verbs: readonly string[], verb: string): string[] => verbs.filter((v) => v !== verb)

function otherRights(random: Random, { own, other, of }: MatrixScene): GrantedRights {
  return {
    verbs: VERBS.filter(() => chance(random, 0.5)),
    group: of.kind.group,
    resource: pick(random, [of.kind.plural, 'pods']),
    namespaces: pick(random, [[own], [other], []]),
  }
}

function objectsOf(random: Random, scene: MatrixScene, r: GrantedRights, name: string): KubeObject[] {
  if (r.verbs.length === 0) return []
  const inNamespaces = r.namespaces.length > 0
  const isRole = inNamespaces && chance(random, 0.5)
  const rules = [
    {
      apiGroups: [r.group],
      resources: [r.resource],
      verbs: r.verbs,
      ...(r.names && { resourceNames: r.names }),
    },
  ]
  const role = (namespace?: string): object => ({
    apiVersion: `${RBAC}/v1`,
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    rules,
  })
  const roles = isRole ? r.namespaces.map((n) => role(n)) : [role()]
  const subjects = [r.isOfAnother ? anotherSubject(random, scene) : subjectOf(random, scene)]
  const binding = (namespace?: string): object => ({
    apiVersion: `${RBAC}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: RBAC, kind: isRole ? 'Role' : 'ClusterRole', name },
    subjects,
  })
  const bindings = inNamespaces ? r.namespaces.map((n) => binding(n)) : [binding()]
  return [...roles, ...(r.isUnbound ? [] : bindings)] as KubeObject[]
}

/** An account is a user, and of the group of its namespace. */
const subjectOf = (random: Random, { own, user }: MatrixScene): object =>
  pick(random, [
    { kind: 'ServiceAccount', namespace: own, name: user.split(':')[3] },
    { apiGroup: RBAC, kind: 'User', name: user },
    { apiGroup: RBAC, kind: 'Group', name: `system:serviceaccounts:${own}` },
  ])

const anotherSubject = (random: Random, { own, other, user }: MatrixScene): object =>
  pick(random, [
    { kind: 'ServiceAccount', namespace: other, name: user.split(':')[3] },
    { kind: 'ServiceAccount', namespace: own, name: 'default' },
    { apiGroup: RBAC, kind: 'Group', name: `system:serviceaccounts:${other}` },
  ])
