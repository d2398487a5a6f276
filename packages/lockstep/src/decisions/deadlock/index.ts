// The face of this folder: what others import.
export { type Deadlock, deadlockBlocker, deadlocksOf } from './deadlock.ts'
export {
  aboutCause,
  aboutWaits,
  causesOf,
  closesRing,
  type ModuleWaitGraph,
  type ModuleWaits,
  moduleWaitGraph,
} from './modulewaits.ts'
