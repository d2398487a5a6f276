// The face of this folder: what others import.
export { isServed, previousController, previousLease, weaveOwner } from './previouscontroller.ts'
export { readWeavePipeline, type WeavePipeline, weaveIdentity } from './weavepipeline.ts'
export { WEAVE_LEASE, weavePipelineKind } from './weavepipelinekind.ts'
export { isWeavePull, type WeaveEnvironment, weaveBranch } from './weavepull.ts'
export { weavePromotion, weaveStatus } from './weavestatus.ts'
