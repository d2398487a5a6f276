// The face of this folder: what others import.
export { isOurs, type LiveObject, liveObjectOf } from './liveobject.ts'
export type { ListRefusal } from './objectcaches.ts'
export {
  FRESH_MS,
  labeledObjectId,
  type ObjectSelection,
  ObjectSelections,
  type ObservedSelection,
  selectionId,
} from './objectselections.ts'
export { type ServedKinds, servedAs, servedKindsOf } from './servedkinds.ts'
export { ClusterSession } from './session.ts'
export { SILENT_AGAIN_MS } from './staleness.ts'
