import { APPROVAL_VALID } from '../../conditions.ts'
import { type LockstepObject, own } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, stateColumn } from '../printercolumn.ts'
import { type ApprovalSpec, approvalSpec } from './spec.ts'
import { type ApprovalStatus, approvalStatus } from './status.ts'

export type Approval = LockstepObject<ApprovalSpec, ApprovalStatus>

export const approvalColumns: readonly PrinterColumn[] = [
  { name: 'Target', type: 'string', jsonPath: '.spec.targetRef.name' },
  { name: 'Stage', type: 'string', jsonPath: '.spec.stage' },
  { name: 'Point', type: 'string', jsonPath: '.spec.point' },
  { name: 'Revision', type: 'string', jsonPath: '.spec.revisionHash' },
  { name: 'By', type: 'string', jsonPath: '.spec.approvedBy' },
  stateColumn(APPROVAL_VALID),
  ageColumn,
]

export const approvalKind = own<Approval>({
  kind: 'Approval',
  plural: 'approvals',
  singular: 'approval',
  shortNames: ['appr'],
  summary: 'Approval of one stage of a rollout, or of one promotion.',
  spec: approvalSpec,
  status: approvalStatus,
  columns: approvalColumns,
})
