import { HOLD_ACTIVE } from '../../conditions.ts'
import { type LockstepObject, own } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, stateColumn } from '../printercolumn.ts'
import { type HoldSpec, holdSpec } from './spec.ts'
import { type HoldStatus, holdStatus } from './status.ts'

export type Hold = LockstepObject<HoldSpec, HoldStatus>

export const holdColumns: readonly PrinterColumn[] = [
  { name: 'Target', type: 'string', jsonPath: '.spec.targetRef.name' },
  { name: 'Action', type: 'string', jsonPath: '.spec.action' },
  { name: 'Revision', type: 'string', jsonPath: '.spec.revision' },
  { name: 'Until', type: 'string', jsonPath: '.spec.until' },
  stateColumn(HOLD_ACTIVE),
  { name: 'Units', type: 'integer', jsonPath: '.status.units' },
  { name: 'Reason', type: 'string', jsonPath: '.spec.reason' },
  ageColumn,
]

export const holdKind = own<Hold>({
  kind: 'Hold',
  plural: 'holds',
  singular: 'hold',
  shortNames: ['hd'],
  summary: 'Suspend or pause of a Module or Pipeline, or pin of clusters at a revision.',
  spec: holdSpec,
  status: holdStatus,
  columns: holdColumns,
})
