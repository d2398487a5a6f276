import type { ClusterResourceSet } from '../../api/kinds/resourceset.ts'

/** An empty selector matches nothing, as to Cluster API, though to others it matches everything. */
export const selectsNothing = ({
  matchLabels = {},
  matchExpressions = [],
}: ClusterResourceSet['spec']['clusterSelector']): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0
