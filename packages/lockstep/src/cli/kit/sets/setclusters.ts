/** Clusters of Cluster API as ClusterResourceSets choose them, and their bindings. */

import { ok, type Result } from '@lockstep/kube/env'
import { matchesSelector, type Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet, ClusterResourceSetBinding } from '../../../api/kinds/index.ts'
import { selectsNothing } from '../../../decisions/resourceset/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { clusterOfClusterApi } from '../../../fleet/inventories/index.ts'
import { type HubConnection, listAll } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import type { SetKinds } from './findservedkind.ts'

export interface SetClusters {
  readonly clusters: readonly ClusterView[]
  readonly bindings: readonly Stored<ClusterResourceSetBinding>[]
}

/** `namespace` undefined: of all. */
export async function readSetClusters(
  c: CommandContext,
  hub: HubConnection,
  kinds: SetKinds,
  namespace: string | undefined,
): Promise<Result<SetClusters, CliFailure>> {
  const scope = namespace === undefined ? {} : { namespace }
  const bindings = await listAll(c, hub, kinds.binding, scope)
  if (!bindings.ok) return bindings
  if (!kinds.cluster) return ok({ clusters: [], bindings: bindings.value })
  const clusters = await listAll(c, hub, kinds.cluster, scope)
  if (!clusters.ok) return clusters
  return ok({ clusters: clusters.value.map(clusterOfClusterApi), bindings: bindings.value })
}

export function selectedBy(
  { metadata, spec: { clusterSelector } }: Stored<ClusterResourceSet>,
  { clusters }: Pick<SetClusters, 'clusters'>,
): ClusterView[] {
  if (selectsNothing(clusterSelector)) return []
  return clusters
    .filter(
      (v) => v.namespace === metadata.namespace && !v.deleting && matchesSelector(clusterSelector, v.labels),
    )
    .sort((a, b) => (a.objectName < b.objectName ? -1 : 1))
}

export const bindingOf = (
  { bindings }: Pick<SetClusters, 'bindings'>,
  { namespace, objectName }: ClusterView,
): Stored<ClusterResourceSetBinding> | undefined =>
  bindings.find((b) => b.metadata.namespace === namespace && b.metadata.name === objectName)
