// The face of this folder: what others import.
export { mayWaitForDeletions, withDeleteBeforeApply } from './deletebeforeapply.ts'
export {
  type BindFailure,
  type DesiredHook,
  type DesiredObject,
  type DesiredSteps,
  desiredStateOf,
  type FindResource,
  markedBody,
  type ObjectToDelete,
  type UnitDesiredState,
} from './desiredstate.ts'
export { withLiveValueCopies } from './livevaluecopies.ts'
export { objectDiff } from './objectdiff.ts'
export { type PreviewChange, previewUnit } from './preview.ts'
export { bucketOf, inventoryName, moduleRefOf, parseUnitName, refOfInventory, unitName } from './unitnames.ts'
export { withValueCopies } from './valuecopies.ts'
export { observedWaits, withWaits } from './waits.ts'
