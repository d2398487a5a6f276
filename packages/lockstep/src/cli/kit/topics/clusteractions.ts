/** Actions of `lockstep cluster`. */
export const CLUSTER_ACTIONS = ['add', 'list', 'rotate', 'remove', 'accept'] as const
export type ClusterAction = (typeof CLUSTER_ACTIONS)[number]
