/** Units whose Inventory was lost, or whose cluster has records of another hub: nothing is written for them before a person decides. */
import { inventoryKind } from '../../../api/kinds/index.ts'
import { type HubConnection, listAll } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import type { CheckFinding } from './checkreport.ts'

const REASONS: ReadonlySet<string> = new Set(['InventoryLost', 'OwnedByAnotherHub'])
const LOST_FOR = 'delivery'

/** One finding for each unit; none if all records are complete. */
export async function checkLost(c: CommandContext, hub: HubConnection): Promise<CheckFinding[]> {
  const all = await listAll(c, hub, inventoryKind)
  if (!all.ok) return [{ name: 'Inventories', state: 'unknown', found: all.error.message, for: LOST_FOR }]
  return all.value.flatMap(({ metadata, spec, status }): CheckFinding[] => {
    const lost = status?.blockers?.find(({ reason }) => REASONS.has(reason))
    if (!lost) return []
    const name = `${metadata.namespace}/${spec.moduleRef.name}@${spec.clusterRef.name}`
    return [{ name, state: 'missing', found: `${lost.reason}: ${lost.message}`, for: LOST_FOR }]
  })
}
