/** What can be done to a cluster. */
export const CLUSTER_ACTIONS: readonly string[] = ['accept']
