/** An Inventory whose module went without it: what it lists stays on the cluster, and it lets nobody write there. Pure. */
import type { Assignment, Inventory, InventorySpec } from '../../api/kinds/index.ts'

/** Nothing is done by this Inventory: no module has asked for the unit since the one that gave it up. */
export const isOrphanedUnit = (
  { spec: { released } }: Pick<Inventory, 'spec'>,
  record: Pick<Assignment, 'uid' | 'removal'> | undefined,
): boolean =>
  released !== undefined &&
  (record === undefined || record.uid === released.uid || record.removal !== undefined)

/** Without what lets anybody write there, or says why something is to go. What is on the cluster stays listed. */
export function orphanedUnitSpec(
  { assigned: _assigned, admitted, causes: _causes, released, ...rest }: InventorySpec,
  moduleUid: string,
  at: string,
): InventorySpec {
  const { serial = 0, revision, bundle } = admitted ?? released ?? {}
  return {
    ...rest,
    released: {
      at,
      uid: moduleUid,
      serial,
      ...(revision === undefined ? {} : { revision }),
      ...(bundle === undefined ? {} : { bundle }),
    },
  }
}
