import { type ObjectName, objectKey, type Request, requestOf } from '../runtime/index.ts'

export const PROMOTION_CONTROLLER = 'promotion'

export const promotionRequest = (name: ObjectName): Request =>
  requestOf(PROMOTION_CONTROLLER, objectKey.of(name))
