// The face of this folder: what others import.
export { clusterTurns } from './clusterturns.ts'
export { hasForeignFields, sharedFieldsPatch } from './sharedfields.ts'
export {
  entryFor,
  isAllDone,
  isOlderUnknown,
  recordAfter,
  recordBegun,
  type SetObject,
  type SetRequest,
  type SetWrite,
  type SourceContent,
  type SourceOutcome,
  type SourceWork,
  sourceText,
  sourceWorkOf,
} from './sourcework.ts'
