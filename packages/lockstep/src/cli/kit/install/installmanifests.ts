/** Manifests for a hub: CRDs, namespaces, accounts, rights, policies, the controller. */
import type { JsonObject } from '@lockstep/kube/object'
import { DEFAULT_SERVICE_ACCOUNT } from '../../../api/account.ts'
import { GROUP } from '../../../api/apiversion.ts'
import { admissionPolicies, ownCrds, sharedCrds } from '../../../api/crd/index.ts'
import { PROTECTED_LABEL, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { type Profile, RIGHTS, type Right, type RightScope } from '../../../api/rights.ts'
import { ACCOUNT, type ControllerPods, controllerManifests, LABELS } from './controllermanifests.ts'

/** Bound in each managed namespace. */
export const CONTROLLER_ROLE = 'lockstep-namespace'
const DEPLOYER_ROLE = 'lockstep-deployer'
const ARGOCD_NAMESPACE = 'argocd'
const RBAC = 'rbac.authorization.k8s.io'
const POD_SECURITY = 'pod-security.kubernetes.io/enforce'
const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'update', 'patch', 'delete']

export interface Installation {
  readonly namespaces: readonly string[]
  readonly profiles: readonly Profile[]
  /** Absent: the controller runs elsewhere. */
  readonly controller?: ControllerPods | undefined
}

const CONTROLLER = { kind: 'ServiceAccount', name: ACCOUNT, namespace: SYSTEM_NAMESPACE }

/** A right as a rule of a role. */
export const ruleOf = ({ group, resources, verbs, names }: Omit<Right, 'scope' | 'usedBy'>): JsonObject => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
  ...(names ? { resourceNames: [...names] } : {}),
})

/** Rights that every installation has (undefined), or those that a profile adds. */
type RightsPart = Profile | undefined

const rulesOf = (scope: RightScope, part: RightsPart): JsonObject[] =>
  RIGHTS.filter((r) => r.scope === scope && r.profile === part).map(ruleOf)

/**
 * Parts with rights in a scope. Each has roles of its own: manifests without a profile, as for a further namespace, take nothing
 * away from it.
 */
const partsOf = (scope: RightScope, profiles: readonly Profile[]): readonly RightsPart[] =>
  [undefined, ...profiles].filter((part) => rulesOf(scope, part).length > 0)

const nameOf = (name: string, part: RightsPart): string => (part === undefined ? name : `${name}-${part}`)

/** A Role, or a ClusterRole. */
export const roleManifest = (
  kind: 'Role' | 'ClusterRole',
  metadata: JsonObject,
  rules: JsonObject[],
): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { labels: LABELS, ...metadata },
  rules,
})

const clusterRole = (name: string, rules: JsonObject[], labels: JsonObject = {}): JsonObject =>
  roleManifest('ClusterRole', { name, labels: { ...LABELS, ...labels } }, rules)

/** A RoleBinding, or without a namespace a ClusterRoleBinding. */
export const bindingManifest = (
  metadata: { readonly name: string; readonly namespace?: string },
  of: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string },
  subject: JsonObject,
): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind: metadata.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { ...metadata, labels: LABELS },
  roleRef: { apiGroup: RBAC, ...of },
  subjects: [subject],
})

/** All that a hub gets. */
export function installManifests({ namespaces, profiles, controller }: Installation): JsonObject[] {
  // Cluster API brings its own definition of sets: another one would take its place.
  const withSets = profiles.includes('resource-sets') && !profiles.includes('capi')
  const kinds = withSets ? [...ownCrds(), ...sharedCrds()] : ownCrds()
  return [
    ...kinds,
    ...controllerRights(profiles),
    ...namespaces.flatMap((n) => managedNamespace(n, profiles)),
    ...personRoles(),
    ...admissionPolicies(LABELS),
    ...(controller ? controllerManifests(controller, profiles) : []),
  ]
}

/** The account of the controller, and its rights beside those in managed namespaces. */
export function controllerRights(profiles: readonly Profile[]): JsonObject[] {
  const rights = (scope: RightScope, make: (part: RightsPart, rules: JsonObject[]) => JsonObject[]) =>
    partsOf(scope, profiles).flatMap((part) => make(part, rulesOf(scope, part)))
  const inNamespace = (
    metadata: { readonly name: string; readonly namespace: string },
    rules: JsonObject[],
  ) => [
    roleManifest('Role', metadata, rules),
    bindingManifest(metadata, { kind: 'Role', name: metadata.name }, CONTROLLER),
  ]
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: SYSTEM_NAMESPACE, labels: { ...LABELS, [POD_SECURITY]: 'restricted' } },
    },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: ACCOUNT, namespace: SYSTEM_NAMESPACE, labels: LABELS },
    },
    ...rights('Cluster', (part, rules) => {
      const name = nameOf(ACCOUNT, part)
      return [clusterRole(name, rules), bindingManifest({ name }, { kind: 'ClusterRole', name }, CONTROLLER)]
    }),
    ...rights('System', (part, rules) =>
      inNamespace({ name: nameOf(ACCOUNT, part), namespace: SYSTEM_NAMESPACE }, rules),
    ),
    ...rights('Namespace', (part, rules) => [clusterRole(nameOf(CONTROLLER_ROLE, part), rules)]),
    ...rights('ArgoCD', (_, rules) =>
      inNamespace({ name: `${ACCOUNT}-clusters`, namespace: ARGOCD_NAMESPACE }, rules),
    ),
    ...rights('Deployer', (part, rules) => [clusterRole(nameOf(DEPLOYER_ROLE, part), rules)]),
  ]
}

/** The controller may work in the namespace. `part`: with the rights of a profile. */
export const controllerBinding = (namespace: string, part?: Profile): JsonObject =>
  bindingManifest(
    { name: nameOf(ACCOUNT, part), namespace },
    { kind: 'ClusterRole', name: nameOf(CONTROLLER_ROLE, part) },
    CONTROLLER,
  )

/** The namespace, where the controller may work, and the account as which it does what Modules ask for. */
export function managedNamespace(namespace: string, profiles: readonly Profile[]): JsonObject[] {
  const deployer = { kind: 'ServiceAccount', name: DEFAULT_SERVICE_ACCOUNT, namespace }
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { [PROTECTED_LABEL]: 'true' } },
    },
    ...partsOf('Namespace', profiles).map((part) => controllerBinding(namespace, part)),
    ...deployerAccount(namespace, 'edit'),
    ...partsOf('Deployer', profiles).map((part) =>
      bindingManifest(
        { name: nameOf(`${DEFAULT_SERVICE_ACCOUNT}-reads`, part), namespace },
        { kind: 'ClusterRole', name: nameOf(DEPLOYER_ROLE, part) },
        deployer,
      ),
    ),
  ]
}

export const accountManifest = (of: { readonly name: string; readonly namespace: string }): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { ...of, labels: LABELS },
})

/** The account of Modules that name none, with a role in its namespace; `cluster-admin`: on the whole hub. */
export function deployerAccount(namespace: string, name: 'edit' | 'cluster-admin'): JsonObject[] {
  const account = { name: DEFAULT_SERVICE_ACCOUNT, namespace }
  const whole = { name: `${DEFAULT_SERVICE_ACCOUNT}-${namespace}` }
  return [
    accountManifest(account),
    bindingManifest(
      name === 'cluster-admin' ? whole : account,
      { kind: 'ClusterRole', name },
      { kind: 'ServiceAccount', ...account },
    ),
  ]
}

/** Rights of people, with the built-in roles view, edit and admin. */
export function personRoles(): JsonObject[] {
  const people = ['modules', 'bootstrapmodules', 'holds', 'pipelines']
  const approved = ['modules', 'bootstrapmodules', 'pipelines']
  const of = (resources: string[], verbs: string[]): JsonObject => ruleOf({ group: GROUP, resources, verbs })
  const aggregated = (name: string): JsonObject => ({ [`${RBAC}/aggregate-to-${name}`]: 'true' })
  return [
    clusterRole('lockstep-view', [of(['*'], READ)], aggregated('view')),
    clusterRole('lockstep-edit', [of(people, WRITE)], aggregated('edit')),
    // The right to change a Module does not include approval of its rollout.
    clusterRole(
      'lockstep-approve',
      [of(['approvals'], WRITE), of(approved, ['approve'])],
      aggregated('admin'),
    ),
    // A limit over all modules is not for who has one of them.
    clusterRole('lockstep-budgets', [of(['disruptionbudgets'], WRITE)], aggregated('admin')),
  ]
}
