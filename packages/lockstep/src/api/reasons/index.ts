// The face of this folder: what others import.

export { type ClusterGroup, conditionMessage, groupsText } from './clustergroup.ts'
export { type Actor, asMessage, type ClusterList, type Message, textOf } from './reason.ts'
export { actorOf, type BlockerReason, type EventReason, reasonNames } from './reasons.ts'
export {
  adviceOf,
  type Fact,
  type FactReason,
  type FactsOf,
  isKnownFact,
  messageOf,
  type RefsOf,
  reasonTable,
  type StoredFact,
} from './reasontable.ts'
export { SELF, type WaitKind, type WaitRef, type WaitRefOf, waitRef } from './waitref.ts'
