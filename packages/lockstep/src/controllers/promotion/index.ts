// The face of this folder: what others import.
export { MIN_LEASE_MS } from './lease/actionlease.ts'
export { promotionController } from './promotioncontroller.ts'
export { promotionRequest } from './promotiondeps.ts'
export { promotionsOf } from './watches.ts'
