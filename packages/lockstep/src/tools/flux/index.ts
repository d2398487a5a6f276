// The face of this folder: what others import.
export {
  type BrokenDocument,
  type FluxFile,
  type FluxManifest,
  positionOf,
  readManifests,
} from './fluxmanifest.ts'
export { unitText } from './fluxunit.ts'
