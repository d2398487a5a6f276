import { type ObjectName, objectKey, type Request, requestOf } from '../runtime/index.ts'

export const PIPELINE_CONTROLLER = 'pipeline'

export const pipelineRequest = (name: ObjectName): Request =>
  requestOf(PIPELINE_CONTROLLER, objectKey.of(name))
