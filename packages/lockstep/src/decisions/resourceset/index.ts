// The face of this folder: what others import.
export { missingSource, type SetObjectFailure, type SourceFault } from './appliedcondition.ts'
export {
  bindingEntryOf,
  bindingResourceOf,
  hasNoEntries,
  withBindingEntry,
  withoutBindingEntry,
} from './bindingentry.ts'
export { clusterSelectorProblem, selectsNothing } from './clusterselector.ts'
export { companionName, companionSpec, deliveredBy, distinctRefs, keptSpec, setOf } from './companionspec.ts'
export {
  type AddonsVersion,
  conditionIn,
  placeConditions,
  replaceConditions,
  resetPaused,
  withoutOurs,
} from './conditionplacement.ts'
export { deletionConditions, type SetDeletionCause } from './deletionconditions.ts'
export { isAllApplied, newlyApplied, nextDeliveredRecord } from './deliveredrecord.ts'
export { distinctObjects } from './distinctobjects.ts'
export {
  decideHandshake,
  entryCounts,
  handBackPatch,
  isPauseRequestedAgain,
  isUnknownUpstream,
  pausePatch,
  type SourceAction,
  sourceActionOf,
  type UpstreamLease,
} from './handshakedecision.ts'
export { importModule, type ModuleOfSet } from './importmodule.ts'
export { MANAGED, PAUSED, type SetClusterFacts, setConditions } from './setconditions.ts'
export { type SetMessagesSubject, setMessage, setReasonMessage } from './setmessages.ts'
export { ownersOnDeletion, type SetOwner, withOwner } from './setowner.ts'
export { retryAtMs, SLOWEST_MS } from './setretrystate.ts'
export {
  defaultsOf,
  modeOf,
  type SetSettings,
  type SettingProblem,
  setObjectRef,
  settingsOf,
} from './setsettings.ts'
export { type ParsedSource, parseSourceObjects, type SourceProblem } from './sourceobjects.ts'
