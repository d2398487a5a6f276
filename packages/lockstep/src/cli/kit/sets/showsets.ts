/** `lockstep get clusterresourcesets`: the table, with what Clusters and bindings say. */
import type { Kind, Stored } from '../../../../../kube/src/object/kind.ts'
import type { ClusterResourceSet } from '../../../api/kinds/clusterresourceset/spec.ts'
import type { CommandContext } from '../command.ts'
import type { HubConnection } from '../hub/hub.ts'
import { printTable } from '../output/printtable.ts'
import { readSetClusters } from './setclusters.ts'
import { setKindsOn } from './findservedkind.ts'
import { setRows } from './setrows.ts'

/** Whoever may read the sets alone sees them all the same. */
export async function showSets(
  c: CommandContext,
  hub: HubConnection,
  kind: Kind,
  sets: readonly Stored[],
): Promise<void> {
  const showNamespace = c.globals.allNamespaces
  const kinds = await setKindsOn(c, hub)
  const around = kinds.ok
    ? await readSetClusters(c, hub, kinds.value, showNamespace ? undefined : hub.namespace)
    : kinds
  const view = {
    version: kind.version,
    around: around.ok ? around.value : undefined,
    showNamespace,
    nowMs: c.env.clock.now(),
  }
  printTable(c, setRows(sets as readonly Stored<ClusterResourceSet>[], view))
}
