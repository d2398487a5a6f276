/** Manifests for a hub: CRDs, namespace, rights, policies. */
import type { JsonObject, Kind } from '@lockstep/kube/object'
import { GROUP } from '../../../api/apiversion.ts'
import { approvalPolicy, orphanPolicy, ownCrds, sharedCrds } from '../../../api/crd/index.ts'
import {
  ADDONS_GROUP,
  CAPI_LEASE,
  resourceSetBindingKinds,
  resourceSetKinds,
} from '../../../api/kinds/index.ts'
import { SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { WEAVE_LEASE, weavePipelineKind } from '../../../decisions/weave/index.ts'
import { clusterApiKinds, clusterProfileKinds } from '../../../fleet/inventories/index.ts'

const ACCOUNT = 'lockstep-controller'
const LABELS = { 'app.kubernetes.io/part-of': 'lockstep' }
const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'update', 'patch', 'delete']

const rule = (
  apiGroups: string[],
  resources: string[],
  verbs: string[],
  resourceNames?: string[],
): JsonObject => ({
  apiGroups,
  resources,
  verbs,
  ...(resourceNames ? { resourceNames } : {}),
})

/** Kinds of inventories, and whether they are installed. */
const inventories = (): JsonObject[] => {
  const kinds = [clusterApiKinds[0]!, clusterProfileKinds[0]!]
  return [definitionsOf(kinds), ...kinds.map((k) => rule([k.group], [k.plural], READ))]
}

const definitionsOf = (kinds: readonly Kind[]): JsonObject =>
  rule(
    ['apiextensions.k8s.io'],
    ['customresourcedefinitions'],
    READ,
    kinds.map((k) => `${k.plural}.${k.group}`),
  )

/** ClusterResourceSets, their bindings and sources; and what says whether Cluster API's own controller is at work. */
const resourceSets = (): JsonObject[] => {
  const [set, binding] = [resourceSetKinds[0]!, resourceSetBindingKinds[0]!]
  const webhooks = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']
  return [
    definitionsOf([set, binding] as unknown as Kind[]),
    rule([ADDONS_GROUP], [set.plural], [...READ, 'patch', 'update']),
    rule([ADDONS_GROUP], [`${set.plural}/status`, `${set.plural}/finalizers`], ['update', 'patch']),
    rule([ADDONS_GROUP], [binding.plural], [...READ, ...WRITE]),
    rule([''], ['configmaps'], ['patch']),
    rule(['coordination.k8s.io'], ['leases'], ['get'], [CAPI_LEASE]),
    rule(['admissionregistration.k8s.io'], webhooks, ['list']),
  ]
}

/** Pipelines of weaveworks, for `--serve-weave-pipelines`; and what says whether their own controller is at work. */
const weavePipelines = (): JsonObject[] => [
  definitionsOf([weavePipelineKind]),
  rule([weavePipelineKind.group], [weavePipelineKind.plural], READ),
  rule([weavePipelineKind.group], [`${weavePipelineKind.plural}/status`], ['update']),
  rule(['coordination.k8s.io'], ['leases'], ['list'], [WEAVE_LEASE]),
]

/** Objects that pipelines read on the hub, of tools that they know; and the Jobs that verify promotions. */
const promotions = (): JsonObject[] => [
  rule(['helm.toolkit.fluxcd.io'], ['helmreleases'], READ),
  rule(['kustomize.toolkit.fluxcd.io'], ['kustomizations'], READ),
  rule(['argoproj.io'], ['applications'], READ),
  rule(['batch'], ['jobs'], [...READ, 'create']),
]

/** Rights of the controller in its own namespace, and nowhere else. */
const inSystem = (name: string, rules: JsonObject[]): JsonObject[] => {
  const metadata = { name, namespace: SYSTEM_NAMESPACE, labels: LABELS }
  const api = 'rbac.authorization.k8s.io'
  return [
    {
      apiVersion: `${api}/v1`,
      kind: 'Role',
      metadata,
      rules,
    },
    {
      apiVersion: `${api}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: api, kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: SYSTEM_NAMESPACE }],
    },
  ]
}

function clusterRole(name: string, rules: JsonObject[], labels: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { ...LABELS, ...labels } },
    rules,
  }
}

/** All that a hub gets. */
export const installManifests = (withSets: boolean): JsonObject[] => [
  ...[...ownCrds(), ...(withSets ? sharedCrds() : [])],
  ...[...rbac(), ...approvalPolicy(LABELS), ...orphanPolicy(LABELS)],
]

/** The namespace, the controller's account and rights, and what people get with the built-in roles view and edit. */
export function rbac(): JsonObject[] {
  const people = ['modules', 'bootstrapmodules', 'holds', 'pipelines']
  const approved = ['modules', 'bootstrapmodules', 'pipelines']
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE, labels: LABELS } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: ACCOUNT, namespace: SYSTEM_NAMESPACE, labels: LABELS },
    },
    clusterRole(ACCOUNT, [
      rule([GROUP], ['*'], [...READ, ...WRITE]),
      rule(['apps'], ['controllerrevisions'], [...READ, ...WRITE]),
      rule([''], ['secrets'], [...READ, ...WRITE]),
      rule([''], ['configmaps'], READ),
      rule(['events.k8s.io'], ['events'], ['create']),
      rule([''], ['namespaces'], [...READ, 'create']),
      ...inventories(),
      ...resourceSets(),
      ...promotions(),
      ...weavePipelines(),
    ]),
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: ACCOUNT, labels: LABELS },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ACCOUNT },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: SYSTEM_NAMESPACE }],
    },
    // Where the hub is a cluster too: stamps of its units.
    ...inSystem('lockstep-stamps', [rule([''], ['configmaps'], ['create', 'update', 'delete'])]),
    ...inSystem('lockstep-leader-election', [
      rule(['coordination.k8s.io'], ['leases'], ['get', 'create', 'update']),
    ]),
    clusterRole('lockstep-view', [rule([GROUP], ['*'], READ)], {
      'rbac.authorization.k8s.io/aggregate-to-view': 'true',
    }),
    clusterRole('lockstep-edit', [rule([GROUP], people, WRITE)], {
      'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
    }),
    // The right to change a Module does not include approval of its rollout.
    clusterRole(
      'lockstep-approve',
      [rule([GROUP], ['approvals'], WRITE), rule([GROUP], approved, ['approve'])],
      { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' },
    ),
    // A limit over all modules is not for who has one of them.
    clusterRole('lockstep-budgets', [rule([GROUP], ['disruptionbudgets'], WRITE)], {
      'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
    }),
  ]
}
