/** Strategy notification: what somebody else is told, who then does it. */
import type { JsonObject } from '@lockstep/kube/object'
import {
  type NewerPromotion,
  type PromotionHold,
  type PromotionState,
  type PromotionStep,
  whileHeld,
} from './promotionstate.ts'

export const EVENT_TYPE = 'dev.lockstep.promotion.v1'

/** What it says: the same in all deliveries of a promotion. */
export const notificationData = (
  { name, id, key, isRollback }: PromotionState,
  pipeline: { readonly namespace: string; readonly name: string },
): JsonObject => ({
  promotion: name,
  key,
  pipeline: `${pipeline.namespace}/${pipeline.name}`,
  identity: id.identity,
  environment: id.environment,
  revision: id.revision,
  epoch: id.epoch,
  rollback: isRollback,
})

/** Nobody can look whether it was taken: what was sent and not answered is sent again, with the same id. */
export function afterEvent({
  promotion,
  newer,
  isThere,
  held,
  nowMs,
}: {
  readonly promotion: PromotionState
  readonly newer: NewerPromotion | undefined
  readonly isThere: boolean
  readonly held: PromotionHold | undefined
  readonly nowMs: number
}): PromotionStep {
  if (newer)
    return {
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `its notification was not taken yet: ${newer.revision} follows in Promotion ${newer.name}`,
    }
  if (promotion.phase !== 'Applying') return { type: 'Phase', to: 'Applying' }
  // What was sent and not answered was taken after all, or somebody else has done it.
  if (isThere) return { type: 'Phase', to: 'Converging', result: { alreadyAtRevision: true } }
  return held ? whileHeld(held, nowMs) : { type: 'Effect', effect: { type: 'Notify' } }
}
