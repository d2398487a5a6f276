// The face of this folder: what others import.
export { MIN_LEASE_MS } from './actionlease.ts'
export { PromotionReconciler } from './promotionreconciler.ts'
export { PROMOTION_CONTROLLER, promotionRequest } from './promotionrequest.ts'
export type { PromotionOptions } from './strategies/strategy.ts'
