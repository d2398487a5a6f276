/** How well a unit is, by its Inventory. */
import type { Stored } from '@lockstep/kube/object'
import type { Inventory } from '../../api/kinds/index.ts'

/** Healthy with the content that is admitted; while it is only verified again, what was seen of it counts. */
export function isUnitHealthy(inventory: Stored<Inventory> | undefined): boolean {
  const admitted = inventory?.spec.admitted
  const status = inventory?.status
  return (
    admitted !== undefined &&
    (status?.admittedSerial ?? 0) >= admitted.contentSerial &&
    status?.health === 'Healthy'
  )
}

/** Something is admitted there, and it is not well: its cluster is disrupted. */
export const isUnhealthy = (inventory: Stored<Inventory>): boolean =>
  inventory.spec.admitted !== undefined && !isUnitHealthy(inventory)
