/** The removal of a unit, from its assignment and its Inventory. Pure. */
import { blocked } from '../../../api/blocker.ts'
import type { Assignment, Inventory } from '../../../api/kinds/index.ts'
import { type UnitRemoval, unitRemovalOf } from '../../../decisions/rollout/index.ts'

/**
 * Undefined: no removal is requested. What an Inventory reports about an earlier request does not count. `heldBy`: the Hold
 * that suspends the unit; the removal of a deleted Module continues.
 */
export function requestedRemoval(
  record: Assignment | undefined,
  inventory: Pick<Inventory, 'spec' | 'status'> | undefined,
  heldBy: string | undefined,
): UnitRemoval | undefined {
  const { removal, serial } = record ?? {}
  if (!removal || !inventory) return undefined
  const { observedSerial, blockers = [] } = inventory.status ?? {}
  const isHeld = heldBy !== undefined && removal.cause !== 'ModuleDeleted'
  const held = isHeld
    ? [
        blocked('Held', [{ kind: 'Hold', name: heldBy }], {
          action: 'Suspend',
          target: inventory.spec.moduleRef.name,
        }),
      ]
    : undefined
  return unitRemovalOf(held ?? (observedSerial === serial ? blockers : []))
}
