// The face of this folder: what others import.
export { followAllPipelines, readAllPipelines } from './allpipelines.ts'
export { approvePipeline } from './approvepipeline.ts'
export {
  environmentNamed,
  environmentStatusOf,
  holdsOn,
  type MeantPipeline,
  type PipelineSnapshot,
  pipelineNamed,
  pipelineWord,
  promotionNamed,
  promotionWord,
  withPipeline,
} from './pipelinesnapshot.ts'
export { pipelineView, promotionView } from './pipelineview.ts'
export { environmentsBehind, promotionTree } from './promotiontree.ts'
export { resumePipeline, suspendPipeline } from './suspendpipeline.ts'
export { waitForPromotion } from './waitforpromotion.ts'
