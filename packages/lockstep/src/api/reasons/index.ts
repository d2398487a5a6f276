// The face of this folder: what others import.
export { type ClusterGroup, conditionMessage, groupsText } from './clustergroup.ts'
export { driftChangeText } from './delivery.ts'
export { hookFailureCauses } from './hook.ts'
export { nameOf, placeOf } from './nameof.ts'
export { type EventReason, type ReasonActor, textOf } from './reason.ts'
export {
  actorOf,
  adviceOf,
  type BlockerReason,
  type FactsOf,
  hasSampleRefs,
  isKnownFact,
  isSourceFailure,
  messageOf,
  type ReasonFact,
  type RefsOf,
  type StoredFact,
  setMessageOf,
} from './reasontable.ts'
export { MAX_REFS, SELF, type WaitRef, type WaitRefOf, waitRef } from './waitref.ts'
export type { ObjectLoss } from './write.ts'
