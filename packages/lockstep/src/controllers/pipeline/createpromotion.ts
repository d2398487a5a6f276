/** What an intent asks for: Holds are made or let go of, and then its Promotion is made. */

import type { RequestError } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { type Environment, type Pipeline, promotionKind } from '../../api/kinds/index.ts'
import { type EnvironmentIntent, rollbackHold } from '../../decisions/promotion/index.ts'
import { lastPromotionView } from '../cache/index.ts'
import { ensurePromotion, promotionNameOf, promotionNameTaken } from './ensurepromotion.ts'
import type { PipelineDeps } from './pipelinedeps.ts'
import { createHold, deleteAutomaticHolds } from './pipelineholds.ts'

type HubDeps = Pick<PipelineDeps, 'hub'>

/**
 * The Promotion of an intent that no cache has, asked for now: caches may be older than the intent is, and what was held since it
 * was made is not to be let go of. What is found is known from then on.
 */
export async function findPromotion(
  { hub }: HubDeps,
  pipeline: Stored<Pipeline>,
  environment: string,
  intent: EnvironmentIntent,
): Promise<Result<'Absent' | 'There' | 'Theirs', RequestError>> {
  if (promotionNameTaken(hub, pipeline, environment, intent)) return ok('Theirs')
  const { namespace = '' } = pipeline.metadata
  const name = promotionNameOf(pipeline, environment, intent)
  const found = await hub.own.get(promotionKind, { namespace, name }, { purpose: 'reread' })
  if (!found.ok) return found.error.kind === 'NotFound' ? ok('Absent') : found
  hub.promotions.observeWrite(found.value)
  return ok(promotionNameTaken(hub, pipeline, environment, intent) ? 'Theirs' : 'There')
}

/** Of one that is not there: Holds before Promotions, so that nobody starts what is to be held. */
export async function createPromotion(
  c: HubDeps,
  pipeline: Stored<Pipeline>,
  environment: Environment,
  intent: EnvironmentIntent,
): Promise<RequestError | undefined> {
  const { name } = environment
  const error =
    intent.rollbackOf === undefined
      ? intent.asked && (await deleteAutomaticHolds(c, pipeline, { environment: name, before: intent.epoch }))
      : await holdWhatFailed(c, pipeline, name, intent)
  return error || ensurePromotion(c, pipeline, environment, intent)
}

/** One that somebody has deleted meanwhile is not there to be told of. */
async function holdWhatFailed(
  c: HubDeps,
  pipeline: Stored<Pipeline>,
  environment: string,
  intent: EnvironmentIntent,
): Promise<RequestError | undefined> {
  const { namespace = '' } = pipeline.metadata
  const key = { namespace, name: intent.rollbackOf! }
  const failed = await c.hub.own.get(promotionKind, key, { purpose: 'reread' })
  if (!failed.ok) return failed.error.kind === 'NotFound' ? undefined : failed.error
  const by = promotionNameOf(pipeline, environment, intent)
  const hold = rollbackHold(pipeline.metadata.name, environment, lastPromotionView(failed.value), by)
  return createHold(c, pipeline, environment, hold)
}
