/** Objects that would change hands with a plan. The hub is read; clusters are not. */
import type { FleetObjects, FleetPlan, PlannedHandover } from '../../../controllers/plan/index.ts'
import { plannedHandovers } from '../../../controllers/plan/index.ts'
import { servedKindsOf } from '../../../fleet/connection/index.ts'
import type { HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import { readAllFleetObjects } from '../snapshot/index.ts'
import { bundlesOf } from '../units/index.ts'

interface PlannedLists {
  readonly objects: FleetObjects
  readonly plan: FleetPlan
  /** Objects would be deleted: Modules of other namespaces may have them. */
  readonly isDeleting: boolean
}

export async function handoversOfPlan(
  c: CommandContext,
  hub: HubConnection,
  { objects, plan, isDeleting }: PlannedLists,
): Promise<PlannedHandover[]> {
  const kinds = await hub.client.discover({ purpose: 'user', signal: c.signal })
  const end = { ...objects, ...plan.endState }
  return plannedHandovers({
    end: isDeleting ? await withOtherNamespaces(c, hub, end) : end,
    inventories: objects.inventories,
    env: c.env,
    bundles: bundlesOf(hub),
    served: kinds.ok ? servedKindsOf(kinds.value).served : () => undefined,
  })
}

async function withOtherNamespaces(
  c: CommandContext,
  hub: HubConnection,
  end: FleetObjects,
): Promise<FleetObjects> {
  const all = await readAllFleetObjects(c, hub)
  if (!all.ok) return end
  const isOther = (o: { readonly metadata: { readonly namespace?: string } }): boolean =>
    o.metadata.namespace !== hub.namespace
  return {
    ...end,
    modules: [...end.modules, ...all.value.modules.filter(isOther)],
    revisions: [...end.revisions, ...all.value.revisions.filter(isOther)],
    inventories: [...end.inventories, ...all.value.inventories.filter(isOther)],
    assemblages: [...end.assemblages, ...all.value.assemblages.filter(isOther)],
    holds: [...end.holds, ...all.value.holds.filter(isOther)],
    clusters: [...end.clusters, ...all.value.clusters.filter((v) => v.namespace !== hub.namespace)],
  }
}
