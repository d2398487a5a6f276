import type { Env } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { type Account, accountOf } from '../../api/account.ts'
import type { Promotion } from '../../api/kinds/index.ts'
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

/** The account of its Pipeline, whose object may be gone. */
export const accountOfPromotion = (
  { hub }: Pick<PromotionDeps, 'hub'>,
  { metadata: { namespace = '' }, spec }: Stored<Promotion>,
): Account => {
  const pipeline = hub.pipelines.store.get({ namespace, name: spec.pipelineRef.name })
  return pipeline ? accountOf(pipeline) : { namespace }
}
