/** `lockstep delete --dry-run=server`: what the deletion of Modules would do on their clusters. */
import { requestErrorText } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import type { Inventory } from '../../../api/kinds/index.ts'
import { type FleetObjects, listedClaims, previewRemoval } from '../../../controllers/plan/index.ts'
import { type ModuleRef, moduleId } from '../../../decisions/graph/index.ts'
import { moduleRefOf, refOfInventory } from '../../../deliver/plan/index.ts'
import { ClusterConnections, type HubConnection } from '../../kit/hub/index.ts'
import { type CliFailure, type CommandContext, concurrentMap } from '../../kit/index.ts'
import { readAllFleetObjects } from '../../kit/snapshot/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { bundlesOf } from '../../kit/units/index.ts'
import { type ClusterRemoval, removalLines } from './removallines.ts'

/** Prints the effect of the deletion of one of `deleted`, all of which are deleted together. */
export type RemovalPrinter = (module: ModuleRef) => Promise<void>

/** Reads the hub once. Clusters are read for each Module; one that gives no answer is named. */
export async function removalPrinter(
  c: CommandContext,
  hub: HubConnection,
  deleted: readonly ModuleRef[],
): Promise<Result<RemovalPrinter, CliFailure>> {
  const known = await readAllFleetObjects(c, hub)
  if (!known.ok) return known
  const isDeleted = new Set(deleted.map(moduleId))
  return ok(async (ref) => {
    const module = known.value.modules.find((m) => moduleId(moduleRefOf(m)) === moduleId(ref))
    if (!module) return
    const isOther = (of: ModuleRef): boolean => moduleId(of) !== moduleId(ref) && isDeleted.has(moduleId(of))
    const objects: FleetObjects = {
      ...known.value,
      modules: known.value.modules.filter((m) => !isOther(moduleRefOf(m))),
      inventories: known.value.inventories.filter((i) => !isOther(refOfInventory(i))),
    }
    const clusters = await removalsOf(c, hub, objects, module)
    for (const line of removalLines(ref.name, clusters)) c.terminal.print(fit(c.terminal.look, line))
  })
}

async function removalsOf(
  c: CommandContext,
  hub: HubConnection,
  objects: FleetObjects,
  module: FleetObjects['modules'][number],
): Promise<ClusterRemoval[]> {
  const ref = moduleRefOf(module)
  const own = objects.clusters.filter((v) => v.namespace === ref.namespace)
  const clusters = new ClusterConnections(c, hub, own)
  const claims = listedClaims(objects, c.env, bundlesOf(hub))
  const isOwn = (i: Inventory): boolean => moduleId(refOfInventory(i)) === moduleId(ref)
  const units = objects.inventories.filter((i) => isOwn(i) && i.spec.released === undefined)
  const found = await concurrentMap(units, c.signal, async (inventory): Promise<ClusterRemoval> => {
    const cluster = inventory.spec.clusterRef.name
    const there = await clusters.reach(cluster)
    const view = clusters.view(cluster)
    if (typeof there === 'string' || !view)
      return { cluster, problem: typeof there === 'string' ? there : 'it is in no inventory' }
    const { client, served: resources } = there
    const unit = { ref, cluster: view, inventory, client, resources }
    const removal = await previewRemoval(claims, unit, module.spec.apply.deletionPolicy)
    if (!removal.ok) return { cluster, problem: requestErrorText(removal.error) }
    return { cluster, objects: removal.value }
  })
  await clusters.close()
  return found
}
