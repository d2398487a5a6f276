// The face of this folder: what others import.
export {
  endHold,
  holdName,
  isOn,
  pinnedRevision,
  putHold,
  readModuleHolds,
  unknownCluster,
} from './moduleholds.ts'
export { holdsByScope, MOST_TRIES, printRelease, releaseHolds, releaseModule } from './releaseholds.ts'
