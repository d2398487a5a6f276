/**
 * The order in which Helm installs kinds (helm `pkg/release/v1/util/kind_sorter.go`), webhooks last. It decides ties
 * only; inside a wave it is a barrier, as with Argo CD.
 */
const ORDER = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
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

const rank = new Map(ORDER.map((kind, i) => [kind, i]))

/** Kinds that are not listed are one group, before the webhooks and behind all others. */
const UNLISTED = ORDER.indexOf('MutatingWebhookConfiguration') - 0.5

export const kindRank = (kind: string): number => rank.get(kind) ?? UNLISTED
