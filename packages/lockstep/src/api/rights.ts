/** Rights of the controller on the hub: one table, from which `lockstep install` prints its roles. */

import { GROUP } from './apiversion.ts'
import { admissionPolicyNames } from './crd/index.ts'
import { ADDONS_GROUP, CAPI_LEASE, resourceSetBindingKinds, resourceSetKinds } from './kinds/index.ts'
import { SYSTEM_NAMESPACE } from './labels.ts'
import { records } from './records.ts'
import { ownKinds } from './registry.ts'

/** Parts of a hub that an installation may serve. */
export const PROFILES = [
  'capi',
  'clusterprofiles',
  'argocd',
  'flux',
  'pipelines',
  'resource-sets',
  'weave',
] as const
export type Profile = (typeof PROFILES)[number]

/**
 * Whose right it is, and where. `Cluster`: the controller's, everywhere. `Namespace`: the controller's in each managed
 * namespace. `System`: the controller's in `lockstep-system`. `ArgoCD`: the controller's in `argocd`. `Deployer`: that of the
 * account `lockstep-deployer` in its namespace, beside the role `edit`.
 */
export type RightScope = 'Cluster' | 'Namespace' | 'System' | 'ArgoCD' | 'Deployer'

export interface Right {
  readonly scope: RightScope
  /** Absent: of every installation. */
  readonly profile?: Profile
  readonly group: string
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  /** Absent: all objects. */
  readonly names?: readonly string[]
  readonly usedBy: string
}

const READ = ['get', 'list', 'watch']
/** Verbs of caches. */
const WATCH = ['list', 'watch']
/** Statuses of which others write fields, too: they are patched. */
const PATCHED = ['holds/status', 'approvals/status']
const statuses = ownKinds
  .flatMap((k) => (k.status ? [`${k.plural}/status`] : []))
  .filter((s) => !PATCHED.includes(s))
const definitions = (profile: Profile, names: readonly string[]): Right => ({
  scope: 'Cluster',
  profile,
  group: 'apiextensions.k8s.io',
  resources: ['customresourcedefinitions'],
  verbs: WATCH,
  names,
  usedBy: 'whether the kind is served',
})
const [setPlural, bindingPlural] = [resourceSetKinds[0]!.plural, resourceSetBindingKinds[0]!.plural]
const CLUSTER_API = records.clusterApi[0]!.group
const CLUSTER_PROFILES = records.clusterProfile[0]!.group
const WEAVE = records.weavePipeline.group
const COORDINATION = 'coordination.k8s.io'

export const RIGHTS: readonly Right[] = [
  {
    scope: 'Cluster',
    group: GROUP,
    resources: ownKinds.map((k) => k.plural),
    verbs: WATCH,
    usedBy: 'caches of the kinds of Lockstep',
  },
  {
    scope: 'Cluster',
    group: GROUP,
    resources: [
      'modules',
      'bootstrapmodules',
      'inventories',
      'remoteassemblages',
      'promotions',
      'holds',
      'approvals',
    ],
    verbs: ['get'],
    usedBy: 'decisions that must not be made on a cache',
  },
  {
    scope: 'Cluster',
    group: GROUP,
    resources: ['modules', 'bootstrapmodules', 'pipelines'],
    verbs: ['patch'],
    usedBy: 'finalizers and annotations',
  },
  {
    scope: 'Cluster',
    group: GROUP,
    resources: ['inventories', 'remoteassemblages', 'promotions', 'holds'],
    verbs: ['create', 'delete'],
    usedBy: 'records',
  },
  {
    scope: 'Cluster',
    group: GROUP,
    resources: ['inventories', 'remoteassemblages', 'promotions'],
    verbs: ['patch'],
    usedBy: 'records',
  },
  {
    scope: 'Cluster',
    group: GROUP,
    resources: ['inventories', 'holds'],
    verbs: ['update'],
    usedBy: 'records',
  },
  { scope: 'Cluster', group: GROUP, resources: statuses, verbs: ['update'], usedBy: 'statuses' },
  { scope: 'Cluster', group: GROUP, resources: PATCHED, verbs: ['patch'], usedBy: 'statuses' },
  {
    scope: 'Cluster',
    group: 'events.k8s.io',
    resources: ['events'],
    verbs: ['create', 'patch'],
    usedBy: 'events',
  },
  {
    scope: 'Cluster',
    group: '',
    resources: ['namespaces'],
    verbs: ['get', 'watch'],
    names: ['kube-system', SYSTEM_NAMESPACE],
    usedBy: 'the identity of the hub',
  },
  {
    scope: 'Cluster',
    group: 'apiextensions.k8s.io',
    resources: ['customresourcedefinitions'],
    verbs: ['get'],
    names: ownKinds.map((k) => `${k.plural}.${GROUP}`),
    usedBy: 'whether Modules are deleted with their kind, and whether definitions are new enough',
  },
  {
    scope: 'Cluster',
    group: 'admissionregistration.k8s.io',
    resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    verbs: ['get'],
    names: admissionPolicyNames(),
    usedBy: 'lockstep check',
  },
  {
    scope: 'Namespace',
    group: '',
    resources: ['secrets'],
    verbs: [...READ, 'create', 'patch', 'delete'],
    usedBy: 'bundles, and credentials of clusters',
  },
  {
    scope: 'Namespace',
    group: 'apps',
    resources: ['controllerrevisions'],
    verbs: [...WATCH, 'create', 'patch', 'delete'],
    usedBy: 'published revisions',
  },
  {
    scope: 'Namespace',
    group: '',
    resources: ['serviceaccounts'],
    verbs: ['get', 'impersonate'],
    usedBy: 'accounts that Modules act as',
  },
  {
    scope: 'Namespace',
    group: '',
    resources: ['namespaces'],
    verbs: ['get'],
    usedBy: 'the clock of the hub, and whether Modules are deleted with their Namespace',
  },
  {
    scope: 'System',
    group: COORDINATION,
    resources: ['leases'],
    verbs: ['get', 'create', 'update'],
    usedBy: 'leader election',
  },
  {
    scope: 'System',
    group: '',
    resources: ['secrets'],
    verbs: [...WATCH, 'create', 'patch'],
    usedBy: 'keys of digests',
  },
  {
    scope: 'System',
    group: '',
    resources: ['configmaps'],
    verbs: ['get', 'create', 'update', 'delete'],
    usedBy: 'stamps of units on the hub, and removals of the last minutes',
  },
  definitions('capi', [`clusters.${CLUSTER_API}`]),
  {
    scope: 'Cluster',
    profile: 'capi',
    group: CLUSTER_API,
    resources: ['clusters'],
    verbs: WATCH,
    usedBy: 'clusters of Cluster API',
  },
  definitions('clusterprofiles', [`clusterprofiles.${CLUSTER_PROFILES}`]),
  {
    scope: 'Cluster',
    profile: 'clusterprofiles',
    group: CLUSTER_PROFILES,
    resources: ['clusterprofiles'],
    verbs: WATCH,
    usedBy: 'ClusterProfiles',
  },
  {
    scope: 'ArgoCD',
    profile: 'argocd',
    group: '',
    resources: ['secrets'],
    verbs: WATCH,
    usedBy: 'clusters of Argo CD',
  },
  definitions('resource-sets', [`${setPlural}.${ADDONS_GROUP}`, `${bindingPlural}.${ADDONS_GROUP}`]),
  {
    scope: 'Cluster',
    profile: 'resource-sets',
    group: ADDONS_GROUP,
    resources: [setPlural],
    verbs: [...WATCH, 'patch'],
    usedBy: 'ClusterResourceSets',
  },
  {
    scope: 'Cluster',
    profile: 'resource-sets',
    group: ADDONS_GROUP,
    resources: [`${setPlural}/status`],
    verbs: ['update'],
    usedBy: 'statuses of ClusterResourceSets',
  },
  {
    scope: 'Cluster',
    profile: 'resource-sets',
    group: ADDONS_GROUP,
    resources: [bindingPlural],
    verbs: [...READ, 'create', 'update', 'delete'],
    usedBy: 'ClusterResourceSetBindings',
  },
  {
    scope: 'Cluster',
    profile: 'resource-sets',
    group: COORDINATION,
    resources: ['leases'],
    verbs: ['get'],
    names: [CAPI_LEASE],
    usedBy: "whether Cluster API's own controller is at work",
  },
  {
    scope: 'Cluster',
    profile: 'resource-sets',
    group: 'admissionregistration.k8s.io',
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: ['list'],
    usedBy: "whether Cluster API's own controller is at work",
  },
  definitions('weave', [`pipelines.${WEAVE}`]),
  {
    scope: 'Cluster',
    profile: 'weave',
    group: WEAVE,
    resources: ['pipelines'],
    verbs: WATCH,
    usedBy: 'Pipelines of Weaveworks',
  },
  {
    scope: 'Cluster',
    profile: 'weave',
    group: WEAVE,
    resources: ['pipelines/status'],
    verbs: ['update'],
    usedBy: 'their statuses',
  },
  {
    scope: 'Cluster',
    profile: 'weave',
    group: GROUP,
    resources: ['pipelines'],
    verbs: ['create', 'delete'],
    usedBy: 'Pipelines made of them',
  },
  {
    scope: 'Cluster',
    profile: 'weave',
    group: COORDINATION,
    resources: ['leases'],
    verbs: ['list'],
    names: ['pipeline-controller-leader-election'],
    usedBy: 'whether their own controller is at work',
  },
  {
    scope: 'Deployer',
    profile: 'flux',
    group: 'helm.toolkit.fluxcd.io',
    resources: ['helmreleases'],
    verbs: READ,
    usedBy: 'revisions of HelmReleases',
  },
  {
    scope: 'Deployer',
    profile: 'flux',
    group: 'kustomize.toolkit.fluxcd.io',
    resources: ['kustomizations'],
    verbs: READ,
    usedBy: 'revisions of Kustomizations',
  },
  {
    scope: 'Deployer',
    profile: 'argocd',
    group: 'argoproj.io',
    resources: ['applications'],
    verbs: READ,
    usedBy: 'revisions of Applications',
  },
  {
    scope: 'Deployer',
    profile: 'pipelines',
    group: 'batch',
    resources: ['jobs'],
    verbs: [...READ, 'create'],
    usedBy: 'Jobs that verify promotions',
  },
]
