/**
 * Intents to adopt objects by their marks: these name a lost Inventory of the same unit. The intent is the record that the stamp of
 * the cluster, or a person, confirms the marks. Pure.
 */
import { identityOf } from '@lockstep/kube/object'
import type { Inventory, InventorySpec, WriteIntent } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { isOfForeignUnit } from '../ownership/foreignunit.ts'
import type { MarkedObject } from '../ownership/markedobjects.ts'
import { refOfInventory, unitName } from '../plan/unitnames.ts'
import { withAnnounced } from './intents.ts'

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

/** The intents with those for objects that a lost Inventory of the unit had. */
export const withMarked = (
  { intents = [] }: Pick<InventorySpec, 'intents'>,
  unit: string,
  objects: readonly Pick<MarkedObject, 'ref' | 'uid'>[],
  nonce: () => string,
): WriteIntent[] =>
  withAnnounced(
    intents,
    objects.map(({ ref, uid }) => ({
      d: { id: identityOf(ref), ref },
      replaces: undefined,
      takes: { uid, from: unit },
    })),
    nonce,
  )
