// The face of this folder: what others import.

export { type ClusterProxy, parseClusterProxy } from './clusterproxy.ts'
export { inClusterKubeconfig } from './inclusterkubeconfig.ts'
export { type KubeconfigFailure, kubeconfigFailureText } from './kubeconfigfailure.ts'
export type { KubeconfigSelection, KubeconfigTrust } from './kubeconfigselection.ts'
export { type KubeconfigTarget, kubeconfigTarget } from './kubeconfigtarget.ts'
export { loadKubeconfigs } from './loadkubeconfigs.ts'
export { type KubeconfigText, type MergedKubeconfig, mergeKubeconfigs } from './mergekubeconfigs.ts'
export { tokenKubeconfig } from './tokenkubeconfig.ts'
