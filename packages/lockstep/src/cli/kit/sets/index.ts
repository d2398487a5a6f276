// The face of this folder: what others import.
export { drawHandback, drawTakeover } from './drawtakeover.ts'
export { findServedKind, setKindsOn } from './findservedkind.ts'
export { askManaged, type FollowSet, type FollowSetResult, followResult, followSet } from './followset.ts'
export { handBackAll, handBackSet, isUpstreamRunning } from './handbackset.ts'
export { handbackStateOf, isHeld, leftAfter } from './handbackstate.ts'
export { readTakeoverFacts } from './readtakeoverfacts.ts'
export { isSets, withReportedConditions } from './reportedconditions.ts'
export { allOption, inNamespace, type SelectedSets, selectSets } from './selectsets.ts'
export { showSets } from './showsets.ts'
export { stripSet } from './stripset.ts'
export { planTakeover } from './takeoverplan.ts'
export {
  type GivenSet,
  handBackReport,
  type StrippedCluster,
  setImportReport,
  type TakenSet,
  takeoverReport,
} from './takeoverreport.ts'
