// The face of this folder: what others import.
export { ARGOCD_LABEL, clusterOfArgo } from './argocd.ts'
export {
  CLUSTER_NAME_LABEL,
  clusterApiAccess,
  clusterApiKinds,
  clusterOfClusterApi,
  kubeconfigName,
} from './clusterapi.ts'
export { clusterOfClusterProfile, clusterProfileKinds } from './clusterprofile.ts'
export { clusterOfKubeconfigSecret } from './kubeconfigsecret.ts'
export { objectKindsOf } from './objectkinds.ts'
export { type ClusterTrust, Inventories } from './registry.ts'
export type { SecretCaches } from './secretcaches.ts'
