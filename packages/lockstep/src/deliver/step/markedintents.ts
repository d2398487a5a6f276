/**
 * Intents to adopt objects by their marks: these name a lost Inventory of the same unit. The intent is the record that the stamp of
 * the cluster, or a person, confirms the marks. Pure.
 */
import type { Inventory, WriteIntent } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { isOfForeignUnit } from '../ownership/foreignunit.ts'
import { refOfInventory, unitName } from '../plan/unitnames.ts'

type StoredInventory = Inventory & { readonly metadata: { readonly uid: string } }

/** Whether the unit takes the object from its own lost Inventory. */
export const isByMarks = ({ takes }: WriteIntent, inventory: Pick<Inventory, 'metadata' | 'spec'>): boolean =>
  takes !== undefined && takes.from === unitName(refOfInventory(inventory))

/** Intents whose objects still have the marks of the lost Inventory. */
export const markedIntents = (
  inventory: StoredInventory,
  live: (intent: WriteIntent) => LiveObject | undefined,
): WriteIntent[] =>
  (inventory.spec.intents ?? []).filter((intent) => {
    const found = isByMarks(intent, inventory) ? live(intent) : undefined
    if (!found || found.uid !== intent.takes?.uid || found.deleting) return false
    return found.unit === intent.takes.from && isOfForeignUnit(found, inventory.metadata.uid)
  })
