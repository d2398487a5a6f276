/** `lockstep get clusterresourcesets`: the table, with what Clusters and bindings say. */
import type { Kind, Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet } from '../../../api/kinds/index.ts'
import type { HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import { printTable } from '../output/index.ts'
import { setKindsOn } from './findservedkind.ts'
import { readSetClusters } from './setclusters.ts'
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
