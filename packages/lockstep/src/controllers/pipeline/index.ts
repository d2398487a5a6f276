// The face of this folder: what others import.
export { promotionNameOf } from './ensurepromotion.ts'
export { EventReceiver, HMAC_KEY } from './eventreceiver.ts'
export { hubFailure } from './hubfailure.ts'
export { identityConflict } from './identityconflict.ts'
export { pipelineController } from './pipelinecontroller.ts'
export type { PipelineGate } from './pipelinedeps.ts'
export { approvalsFor, cachedPipelineHolds, livePipelineHolds, type PipelineHolds } from './pipelineholds.ts'
export { PIPELINE_CONTROLLER, pipelineRequest } from './pipelinerequest.ts'
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
export { isKept, isLeaving, setPullRequestsFinalizer } from './pullrequestsfinalizer.ts'
export { pipelineOfPromotion, pipelineOfTarget, pipelinesOn, secretId } from './watches.ts'
