import type { Env } from '@lockstep/kube/env'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { HubInformers, ReportedRevisions } from '../cache/index.ts'
import {
  type EventRecorder,
  type ObjectName,
  objectKey,
  type Request,
  requestOf,
  type StatusWriter,
  type WatchIndex,
} from '../runtime/index.ts'

/** Dependencies of the controller of Promotions. */
export interface PromotionDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly events: EventRecorder
  readonly status: StatusWriter
  readonly watchIndex: WatchIndex
  /** Revisions of targets, as webhooks reported them. */
  readonly reportedRevisions: ReportedRevisions
}

export const PROMOTION_CONTROLLER = 'promotion'

export const promotionRequest = (name: ObjectName): Request =>
  requestOf(PROMOTION_CONTROLLER, objectKey.of(name))
