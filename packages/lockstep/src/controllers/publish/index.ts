// The face of this folder: what others import.

export {
  groupIdOf,
  groupOf,
  previewApplications,
  reconcileApplications,
  removeApplications,
} from './applications.ts'
export { areReadable, isRefused } from './arereadable.ts'
export {
  BindingSources,
  givenOf,
  lookupCluster,
  lookupClusterField,
  lookupField,
  lookupKey,
  lookupWithoutFields,
} from './bindingsources.ts'
export { credentialInputs } from './credentialversions.ts'
export { failureBlockers } from './failureblockers.ts'
export { decidePublish, type PublishDecision, rendered, type SourceBehind } from './publishdecision.ts'
export type { PublishDeps } from './publishdeps.ts'
export { type Publication, Publisher, type SourceDebounce, sourceRequestOf } from './publisher.ts'
export type { SharedValues } from './sharedbindings.ts'
export { SourceProgress } from './sourceprogress.ts'
export { isBoundAsRecorded, type TargetBindings, UnitBindings } from './unitbindings.ts'
