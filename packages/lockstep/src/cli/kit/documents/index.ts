// The face of this folder: what others import.
export {
  type CheckedDocument,
  checkAlone,
  checkDocuments,
  checkHistory,
  namespaceOf,
} from './checkdocuments.ts'
export { type ManifestDocument, type ParsedSources, parseSources } from './parsesources.ts'
export { filenameOption, pathFrom, readSources } from './readsources.ts'
