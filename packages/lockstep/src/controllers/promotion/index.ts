// The face of this folder: what others import.
export { MIN_LEASE_MS } from './actionlease.ts'
export { promotionView } from './promotioncontext.ts'
export { PROMOTION_CONTROLLER, PromotionReconciler } from './promotionreconciler.ts'
export { HMAC_KEY } from './strategies/notificationstrategy.ts'
export type { PromotionOptions } from './strategies/strategy.ts'
