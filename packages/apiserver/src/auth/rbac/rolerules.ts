import type { PolicyRule } from './policyrule.ts'

const READ = ['get', 'list', 'watch']
const CHANGE = ['create', 'delete', 'deletecollection', 'patch', 'update']
const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Rights to resources of a group, given as words with spaces between. */
const on = (group: string, resources: string, verbs: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources: resources.split(' '),
  verbs,
})

const paths = (urls: string): PolicyRule => ({ nonResourceURLs: urls.split(' '), verbs: ['get'] })

export const clusterAdminRules: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]

export const selfReviewRules: readonly PolicyRule[] = [
  on('authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', ['create']),
  on('authentication.k8s.io', 'selfsubjectreviews', ['create']),
]

export const discoveryRules: readonly PolicyRule[] = [
  paths('/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
]

export const publicInfoRules: readonly PolicyRule[] = [paths('/healthz /livez /readyz /version /version/')]

export const monitoringRules: readonly PolicyRule[] = [
  paths('/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*'),
]

export const issuerDiscoveryRules: readonly PolicyRule[] = [
  paths(
    '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
  ),
]

export const adminRoleRules: readonly PolicyRule[] = [
  on('authorization.k8s.io', 'localsubjectaccessreviews', ['create']),
  on('rbac.authorization.k8s.io', 'rolebindings roles', ALL),
]

export const editRoleRules: readonly PolicyRule[] = [
  on('', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', READ),
  on('', 'serviceaccounts', ['impersonate']),
  on('', 'pods pods/attach pods/exec pods/portforward pods/proxy', CHANGE),
  on('', 'pods/eviction', ['create']),
  on(
    '',
    'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    CHANGE,
  ),
  on('', 'serviceaccounts/token', ['create']),
  on(
    'apps',
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    CHANGE,
  ),
  on('autoscaling', 'horizontalpodautoscalers', CHANGE),
  on('batch', 'cronjobs jobs', CHANGE),
  on(
    'extensions',
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    CHANGE,
  ),
  on('policy', 'poddisruptionbudgets', CHANGE),
  on('networking.k8s.io', 'ingresses networkpolicies', CHANGE),
  on('coordination.k8s.io', 'leases', ALL),
]

export const viewRoleRules: readonly PolicyRule[] = [
  on(
    '',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    READ,
  ),
  on(
    '',
    'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    READ,
  ),
  on('', 'namespaces', READ),
  on('discovery.k8s.io', 'endpointslices', READ),
  on(
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    READ,
  ),
  on('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', READ),
  on('batch', 'cronjobs cronjobs/status jobs jobs/status', READ),
  on(
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    READ,
  ),
  on('policy', 'poddisruptionbudgets poddisruptionbudgets/status', READ),
  on('networking.k8s.io', 'ingresses ingresses/status networkpolicies', READ),
]
