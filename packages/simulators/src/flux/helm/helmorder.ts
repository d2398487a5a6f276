/** The order in which Helm writes and deletes (`pkg/release/v1/util/kind_sorter.go`). */

export const INSTALL_ORDER: readonly string[] = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]

/** The other way round, but that validation ends before mutation does. */
export const UNINSTALL_ORDER: readonly string[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'APIService',
  'Ingress',
  'IngressClass',
  'Service',
  'CronJob',
  'Job',
  'StatefulSet',
  'HorizontalPodAutoscaler',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'Pod',
  'DaemonSet',
  ...INSTALL_ORDER.slice(0, INSTALL_ORDER.indexOf('Service')).reverse(),
]

/** Known kinds first; unknown ones by their name; of one kind as they come. */
export function sortedInHelmOrder<T extends { readonly kind: string }>(
  documents: readonly T[],
  order: readonly string[],
): T[] {
  const rank = ({ kind }: T): number => (order.includes(kind) ? order.indexOf(kind) : order.length)
  const unknown = (a: T, b: T): number => (a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1)
  return [...documents].sort((a, b) => rank(a) - rank(b) || (rank(a) === order.length ? unknown(a, b) : 0))
}
