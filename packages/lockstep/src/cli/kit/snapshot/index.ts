// The face of this folder: what others import.
export { clusterView } from './clusterview.ts'
export { drawMatrix } from './drawmatrix.ts'
export { readAllFleetObjects, readFleetObjects } from './fleetobjects.ts'
export { drawFleetCounts, fleetView } from './fleetview.ts'
export { Following, followed, followFleet, type LiveView } from './liveview.ts'
export {
  COLORS,
  cellOf,
  cellState,
  GLYPHS,
  type MatrixCell,
  type MatrixRow,
  matrixOf,
  versionsAt,
} from './matrix.ts'
export { moduleView } from './moduleview.ts'
export { moduleWarnings, warning, warningLines } from './modulewarnings.ts'
export { pinRelease, pinsOf } from './pins.ts'
export {
  byKeeper,
  clusterNames,
  dependentsOf,
  type FleetSnapshot,
  inOrder,
  inventoryOf,
  isOnCluster,
  isSelected,
  readSnapshot,
} from './snapshot.ts'
export type { StatusView } from './statusview.ts'
export { type WatchedView, watchView } from './watchview.ts'
