// The face of this folder: what others import.
export { MIN_LEASE_MS } from './actionlease.ts'
export { PROMOTION_CONTROLLER, PromotionReconciler } from './promotionreconciler.ts'
export type { PromotionOptions } from './strategies/strategy.ts'
