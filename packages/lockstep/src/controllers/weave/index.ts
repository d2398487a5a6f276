// The face of this folder: what others import.

export { openWeaveKind, type WeaveKind, weaveController } from './weavecontroller.ts'
export { weaveGate } from './weavegate.ts'
export { WeavePredecessor } from './weavepredecessor.ts'
