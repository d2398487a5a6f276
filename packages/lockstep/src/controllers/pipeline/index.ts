// The face of this folder: what others import.
export { promotionNameOf } from './ensurepromotion.ts'
export { EpochFloorReader } from './epochfloor.ts'
export { EventReceiver, HMAC_KEY, isWebhookSecret } from './eventreceiver.ts'
export { hubFailure } from './hubfailure.ts'
export { identityConflict } from './identityconflict.ts'
export { isKept, isLeaving, setKept } from './kept.ts'
export { Lookers } from './lookers.ts'
export { approvalsFor, cachedPipelineHolds, livePipelineHolds, type PipelineHolds } from './pipelineholds.ts'
export { PIPELINE_CONTROLLER, PipelineReconciler } from './pipelinereconciler.ts'
export { PromotionLoopGuard } from './promotionloopguard.ts'
export {
  cachedTargets,
  liveTargets,
  promotionTargets,
  type TargetReader,
  targetObjects,
} from './promotiontargets.ts'
export {
  openProviderAccess,
  providerSecretName,
  readProviderSecret,
  rejectedSecretBlocker,
} from './provideraccess.ts'
export {
  failedAt,
  failureFacts,
  fieldOwned,
  type GitProviderError,
  providerFailureBlocker,
  reactionTo,
} from './providerfailure.ts'
