/** Records objects that a process has applied, when it stops: its successor does not apply them again. */
import { inventoryKind } from '../../../api/kinds/index.ts'
import { MANAGER } from '../../../api/labels.ts'
import type { RecordClient } from '../../../api/records.ts'
import { entriesOf } from '../../../deliver/state/index.ts'
import { recordedSpec } from '../../../deliver/step/index.ts'
import type { HubInformers } from '../../cache/index.ts'
import type { UnitMemories } from './unitmemories.ts'

/**
 * One write for each unit, on the version in the cache. A write that fails costs the successor an apply that changes nothing.
 * Intents and causes stay: the next reconcile of the unit decides whether they have served.
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
