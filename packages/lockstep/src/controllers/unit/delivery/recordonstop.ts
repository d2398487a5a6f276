/** Records what a process that stops has applied and has not recorded: its successor applies nothing of it again. */
import { inventoryKind } from '../../../api/kinds/index.ts'
import { MANAGER } from '../../../api/labels.ts'
import type { RecordClient } from '../../../api/records.ts'
import { entriesOf } from '../../../deliver/state/index.ts'
import { recordedSpec } from '../../../deliver/step/index.ts'
import type { HubInformers } from '../../cache/index.ts'
import type { UnitMemories } from './unitmemories.ts'

/**
 * One write for each unit, on the version in the cache. A write that fails costs the successor an apply that changes nothing.
 * Intents and causes stay: whether they have served is decided where the unit is looked at.
 */
export async function recordOnStop(
  { inventories }: { readonly inventories: Pick<HubInformers['inventories'], 'store'> },
  client: Pick<RecordClient, 'update'>,
  memories: UnitMemories,
): Promise<void> {
  const unrecorded = memories.unrecorded()
  const found = [...inventories.store.all()].flatMap((inventory) => {
    const memory = unrecorded.get(inventory.metadata.uid)
    return memory ? [{ inventory, memory }] : []
  })
  await Promise.all(
    found.map(({ inventory, memory }) => {
      const objects = [...entriesOf({ inventory, memory }).values()]
      const spec = recordedSpec(inventory.spec, objects, true, [])
      return client.update(inventoryKind, { ...inventory, spec }, { purpose: 'inventory', manager: MANAGER })
    }),
  )
}
