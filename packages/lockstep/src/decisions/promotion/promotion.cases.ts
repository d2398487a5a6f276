/** A promotion in a phase, for tests. */

import { promotionSettings } from '../../api/kinds/promotion/promotionsettings.ts'
import type { PromotionPhase, PromotionStatus } from '../../api/kinds/promotion/status.ts'
import { keyOfPromotion, type PromotionId, promotionName } from './promotionkey.ts'
import type { PromotionHold, PromotionState } from './promotionstate.ts'

export const ID: PromotionId = { identity: 'podinfo', environment: 'prod', epoch: 7, revision: '6.0.1' }

const pullRequest = {
  provider: 'github',
  url: 'https://github.com/o/r',
  baseBranch: 'main',
  secretRef: { name: 'git' },
}

export const PULL = { strategy: 'pull-request', pullRequest }

export function promotion(
  phase: PromotionPhase,
  status: PromotionStatus = {},
  settings: object = PULL,
  o: { isRollback?: boolean; id?: Partial<PromotionId> } = {},
): PromotionState {
  const id = { ...ID, ...o.id }
  return {
    name: promotionName(id),
    id,
    key: keyOfPromotion(id),
    phase,
    settings: promotionSettings.parse(settings),
    isRollback: o.isRollback ?? false,
    status: { intent: { base: 'b1', commit: 'c1', branch: 'lockstep/podinfo/prod/7-x' }, ...status, phase },
  }
}

export const HELD: PromotionHold = {
  blocker: { reason: 'WindowClosed', subject: 'Promotion/podinfo-prod-7-x', message: 'its window is closed' },
  text: 'its window is closed',
  untilMs: undefined,
}

export const newer = { name: 'podinfo-prod-8-y', revision: '6.0.2' }
