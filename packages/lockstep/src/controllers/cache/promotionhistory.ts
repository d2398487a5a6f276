/** Promotions of an environment, as a pipeline sees them. */

import { keyText, parseTimestampMs, type Stored } from '@lockstep/kube/object'
import type { Pipeline, Promotion, PromotionStatus } from '../../api/kinds/index.ts'
import type { LastAsked, LastPromotion } from '../../decisions/promotion/index.ts'
import { keyOfPromotion, type PromotionState } from '../../decisions/promotion/index.ts'
import type { HubInformers } from './hubcaches.ts'

/** Earlier epochs first. */
export function promotionHistory(
  { promotions }: Pick<HubInformers, 'promotions'>,
  pipeline: Stored<Pipeline>,
  environment: string,
): Stored<Promotion>[] {
  const all = [...promotions.store.by('pipeline', keyText(pipeline.metadata))]
    .filter((p) => p.spec.environment === environment && p.spec.identity === pipeline.spec.identity)
    .sort((a, b) => a.spec.epoch - b.spec.epoch || (a.metadata.name < b.metadata.name ? -1 : 1))
  return all.map((p) =>
    p !== all.at(-1) && isForgotten(pipeline, p) ? { ...p, status: { phase: 'Succeeded' } } : p,
  )
}

/** Of the same environment, with later epochs. */
export const laterPromotions = (
  hub: Pick<HubInformers, 'promotions'>,
  pipeline: Stored<Pipeline> | undefined,
  { spec }: Stored<Promotion>,
): Stored<Promotion>[] =>
  pipeline ? promotionHistory(hub, pipeline, spec.environment).filter((p) => p.spec.epoch > spec.epoch) : []

/** Its status is gone, and its pipeline has seen it succeed: where something newer has followed it is not tried again. */
export const isForgotten = ({ status }: Stored<Pipeline>, promotion: Stored<Promotion>): boolean =>
  promotion.status?.phase === undefined &&
  status?.environments?.find((e) => e.name === promotion.spec.environment)?.arrived ===
    promotion.metadata.name

/** Of those of an environment, earlier epochs first. */
export function lastRequested(promotions: readonly Stored<Promotion>[]): LastAsked | undefined {
  const last = promotions.findLast((p) => p.spec.requestID !== undefined)?.spec
  return last?.requestID === undefined ? undefined : { epoch: last.epoch, id: last.requestID }
}

const isAtBase = (result: PromotionStatus['result']): boolean =>
  result !== undefined &&
  result.alreadyAtRevision !== true &&
  (result.commit !== undefined || result.pullRequest?.state === 'merged')

export const lastPromotionView = ({ metadata, spec, status }: Stored<Promotion>): LastPromotion => ({
  name: metadata.name,
  epoch: spec.epoch,
  revision: spec.revision,
  release: spec.release,
  phase: status?.phase ?? 'Pending',
  endedMs: parseTimestampMs(status?.since ?? ''),
  failedIn: status?.endedIn,
  reason: status?.reason,
  message: status?.message,
  rollbackOf: spec.rollbackOf,
  rollback: spec.settings.rollback,
  isAsked: spec.requestID !== undefined,
  isAtBase: isAtBase(status?.result),
  isHandedOn: status?.result?.transferredTo !== undefined,
})

export const promotionView = ({ metadata, spec, status }: Stored<Promotion>): PromotionState => ({
  name: metadata.name,
  namespace: metadata.namespace ?? '',
  id: spec,
  key: keyOfPromotion(spec),
  settings: spec.settings,
  isRollback: spec.rollbackOf !== undefined,
  status: status ?? {},
  phase: status?.phase ?? 'Pending',
})
