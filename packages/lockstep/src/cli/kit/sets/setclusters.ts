/** Clusters of Cluster API as ClusterResourceSets choose them, and their bindings. */
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type {
  ClusterResourceSet,
  ClusterResourceSetBinding,
} from '../../../api/kinds/clusterresourceset/spec.ts'
import { selectsNothing } from '../../../decisions/resourceset/clusterselector.ts'
import { ok, type Result } from '../../../../../kube/src/env/result.ts'
import type { ClusterView } from '../../../fleet/clusters/cluster.ts'
import { clusterOfClusterApi } from '../../../fleet/inventories/clusterapi.ts'
import { matchesSelector } from '../../../../../kube/src/object/index.ts'
import type { CommandContext } from '../command.ts'
import type { CliFailure } from '../clifailure.ts'
import { type HubConnection, listAll } from '../hub/hub.ts'
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
