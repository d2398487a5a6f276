// The face of this folder: what others import.
export { weaveGate } from './weavegate.ts'
export { openWeaveKind, type WeaveKind, weaveController } from './weavepipelines.ts'
export { WeavePredecessor } from './weavepredecessor.ts'
