import { type LockstepObject, own } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, statusColumn } from '../printercolumn.ts'
import { type PipelineSpec, pipelineSpec } from './spec.ts'
import { type PipelineStatus, pipelineStatus } from './status.ts'

export type Pipeline = LockstepObject<PipelineSpec, PipelineStatus>

export const pipelineColumns: readonly PrinterColumn[] = [
  { name: 'Identity', type: 'string', jsonPath: '.spec.identity', priority: 1 },
  { name: 'App', type: 'string', jsonPath: '.spec.appRef.name' },
  statusColumn,
  ageColumn,
]

export const pipelineKind = own<Pipeline>({
  kind: 'Pipeline',
  plural: 'pipelines',
  singular: 'pipeline',
  shortNames: ['pl'],
  summary: 'Environments, and the way in which settled revisions are promoted between them.',
  spec: pipelineSpec,
  status: pipelineStatus,
  columns: pipelineColumns,
})
