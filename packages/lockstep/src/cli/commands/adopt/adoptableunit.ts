import type { SelectedUnit } from '../../kit/units/index.ts'
import type { UnitAdoption } from './adoptplan.ts'

/** A unit with the objects that it would adopt. */
export interface AdoptableUnit {
  readonly plan: UnitAdoption
  /** Number of objects that would be adopted. */
  readonly takable: number
  /** No object is left, and the stamp of the cluster names another Inventory. */
  readonly isStampOnly?: boolean
  take(): Promise<UnitAdoption>
}

/** Columns of a unit in the report. */
export const headOf = ({ ref, cluster }: SelectedUnit) => ({
  module: ref.name,
  namespace: ref.namespace,
  cluster,
})

/** Nothing can be adopted, and why. */
export function unreadUnit(unit: SelectedUnit, problem: string, suggestion?: string): AdoptableUnit {
  const plan = { ...headOf(unit), problem, ...(suggestion === undefined ? {} : { suggestion }), objects: [] }
  return { plan, takable: 0, take: async () => plan }
}
