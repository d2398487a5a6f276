/** A promotion in a phase, for tests. */

import { blocked } from '../../api/blocker.ts'
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
    namespace: 'ns',
    id,
    key: keyOfPromotion(id),
    phase,
    settings: promotionSettings.parse(settings),
    isRollback: o.isRollback ?? false,
    status: { intent: { base: 'b1', commit: 'c1', branch: 'lockstep/podinfo/prod/7-x' }, ...status, phase },
  }
}

/** A target of the environment, on a cluster. */
export const TARGET = {
  kind: 'Object',
  name: 'podinfo',
  namespace: 'prod',
  cluster: 'eu',
  object: { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' },
} as const

/** A target that does not answer. */
export const silent = blocked('TargetUnreachable', [TARGET], { because: 'NoAnswer' })
/** A target that is not ready. */
export const failing = blocked('TargetNotReady', [TARGET], { because: 'NotReady', detail: 'UpgradeFailed' })

export const HELD: PromotionHold = {
  blocker: blocked('WindowClosed', [{ kind: 'Time', name: 'soon' }], { environment: 'prod', opens: 'soon' }),
  untilMs: undefined,
}

export const newer = { name: 'podinfo-prod-8-y', revision: '6.0.2' }
