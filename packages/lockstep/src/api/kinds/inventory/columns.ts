import { ORPHANED_ANNOTATION } from '../../labels.ts'
import { type LockstepObject, own } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, statusColumn } from '../printercolumn.ts'
import { type InventorySpec, inventorySpec } from './spec.ts'
import { type InventoryStatus, inventoryStatus } from './status.ts'

export type Inventory = LockstepObject<InventorySpec, InventoryStatus>

const orphanedSince = `.metadata.annotations.${ORPHANED_ANNOTATION.replaceAll('.', '\\.')}`

export const inventoryColumns: readonly PrinterColumn[] = [
  { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterRef.name' },
  {
    name: 'State',
    type: 'string',
    jsonPath: '.status.state',
    // The last state is out of date once the cluster is gone.
    instead: {
      of: orphanedSince,
      text: 'Orphaned',
    },
  },
  { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
  { name: 'Release', type: 'string', jsonPath: '.spec.admitted.release' },
  // Empty while the cluster exists.
  { name: 'Orphaned', type: 'string', jsonPath: orphanedSince },
  statusColumn,
  ageColumn,
]

export const inventoryKind = own<Inventory>({
  kind: 'Inventory',
  plural: 'inventories',
  singular: 'inventory',
  shortNames: ['inv'],
  summary: 'Objects and admission of one Module on one cluster.',
  spec: inventorySpec,
  status: inventoryStatus,
  internal: true,
  isUntracked: true,
  columns: inventoryColumns,
})
