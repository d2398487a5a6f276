// The face of this folder: what others import.
export { type Manager, startManager } from './manager.ts'
export {
  Incidents,
  MOST_OF_OTHERS,
  type SupervisedEnd,
  SupervisedManager,
} from './supervisedmanager.ts'
