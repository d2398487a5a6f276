import { type LockstepObject, own } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, statusColumn } from '../printercolumn.ts'
import { type PromotionSpec, promotionSpec } from './spec.ts'
import { type PromotionStatus, promotionStatus } from './status.ts'

export type Promotion = LockstepObject<PromotionSpec, PromotionStatus>

export const promotionColumns: readonly PrinterColumn[] = [
  { name: 'Environment', type: 'string', jsonPath: '.spec.environment' },
  { name: 'Revision', type: 'string', jsonPath: '.spec.revision' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Pull Request', type: 'string', jsonPath: '.status.result.pullRequest.url' },
  statusColumn,
  ageColumn,
]

export const promotionKind = own<Promotion>({
  kind: 'Promotion',
  plural: 'promotions',
  singular: 'promotion',
  shortNames: ['promo'],
  summary:
    'Promotion of one revision into one environment. Written before its first effect, kept after its end.',
  spec: promotionSpec,
  status: promotionStatus,
  internal: true,
  columns: promotionColumns,
})
