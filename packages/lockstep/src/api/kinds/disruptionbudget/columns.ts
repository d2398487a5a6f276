import { type LockstepObject, own } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, statusColumn } from '../printercolumn.ts'
import { type DisruptionBudgetSpec, disruptionBudgetSpec } from './spec.ts'
import { type DisruptionBudgetStatus, disruptionBudgetStatus } from './status.ts'

export type DisruptionBudget = LockstepObject<DisruptionBudgetSpec, DisruptionBudgetStatus>

export const disruptionBudgetColumns: readonly PrinterColumn[] = [
  { name: 'Max Unavailable', type: 'string', jsonPath: '.spec.maxUnavailable' },
  { name: 'Min Available', type: 'string', jsonPath: '.spec.minAvailable' },
  { name: 'Clusters', type: 'integer', jsonPath: '.status.clusters' },
  { name: 'Use', type: 'string', jsonPath: '.status.use' },
  statusColumn,
  ageColumn,
]

export const disruptionBudgetKind = own<DisruptionBudget>({
  kind: 'DisruptionBudget',
  plural: 'disruptionbudgets',
  singular: 'disruptionbudget',
  shortNames: ['dbud'],
  summary:
    'Limit on the clusters of a selection that may be disrupted at once, over all Modules of the namespace.',
  spec: disruptionBudgetSpec,
  status: disruptionBudgetStatus,
  columns: disruptionBudgetColumns,
})
