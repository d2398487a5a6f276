/** The work of a promotion, by its strategy, with the credentials that its Secret has now. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { NewBlocker } from '../../../api/blocker.ts'
import type { Promotion, PromotionSettings } from '../../../api/kinds/index.ts'
import type { PromotionState } from '../../../decisions/promotion/index.ts'
import { type WeaveEnvironment, weaveIdentity } from '../../../decisions/weave/index.ts'
import { promotionHistory } from '../../cache/index.ts'
import {
  HMAC_KEY,
  openProviderAccess,
  promotionTargets,
  providerSecretName,
  readProviderSecret,
  rejectedSecretBlocker,
} from '../../pipeline/index.ts'
import type { PromotionContext } from '../promotioncontext.ts'
import type { PromotionDeps } from '../promotiondeps.ts'
import { accountOfPromotion } from '../promotiondeps.ts'
import { predecessorOf } from '../pullrequesttransfer.ts'
import { GitStrategy } from './gitstrategy.ts'
import { ModuleStrategy } from './modulestrategy.ts'
import { NotificationStrategy } from './notificationstrategy.ts'
import type { PromotionOptions, PromotionStrategy } from './strategy.ts'

export async function strategyOf(
  c: PromotionDeps,
  o: PromotionOptions,
  promotion: Stored<Promotion>,
  view: PromotionState,
  { pipeline, environment }: PromotionContext,
): Promise<Result<PromotionStrategy, NewBlocker>> {
  switch (view.settings.strategy) {
    case 'module':
      return ok(new ModuleStrategy(c, { promotion, view, pipeline, targets: promotionTargets(environment) }))
    case 'notification':
      return notifyWorkOf(c, promotion, view)
    default:
      return gitStrategyOf(c, o, promotion, view)
  }
}

async function notifyWorkOf(
  c: PromotionDeps,
  promotion: Stored<Promotion>,
  view: PromotionState,
): Promise<Result<PromotionStrategy, NewBlocker>> {
  const asker = { account: accountOfPromotion(c, promotion), settings: view.settings }
  if (providerSecretName(view.settings) === undefined)
    return ok(new NotificationStrategy(c, promotion, view, undefined))
  const secret = await readProviderSecret(c, asker)
  if (!secret.ok) return secret
  // What is to be signed is not sent without a signature.
  if (secret.value.data?.[HMAC_KEY] === undefined)
    return err(rejectedSecretBlocker(asker, `key ${HMAC_KEY} is missing`))
  return ok(new NotificationStrategy(c, promotion, view, secret.value))
}

/** Where it is done, for messages; empty: they say it themselves. */
export const strategyLocation = ({ pullRequest, push, notification }: PromotionSettings): string =>
  // What stands behind a question mark may be a credential.
  ((pullRequest ?? push ?? notification)?.url ?? '').replace(/\?.*$/, '')

export async function gitStrategyOf(
  c: PromotionDeps,
  { forges, person }: PromotionOptions,
  promotion: Stored<Promotion>,
  view: PromotionState,
): Promise<Result<GitStrategy, NewBlocker>> {
  const { namespace = '' } = promotion.metadata
  const asked = { account: accountOfPromotion(c, promotion), settings: view.settings }
  const forge = await openProviderAccess(c, forges, asked)
  if (!forge.ok) return forge
  const pipeline = c.hub.pipelines.store.get({ namespace, name: promotion.spec.pipelineRef.name })
  const { environment, epoch } = promotion.spec
  const all = pipeline ? promotionHistory(c.hub, pipeline, environment) : []
  const earlier = all.filter((p) => p.spec.epoch < epoch)
  const before = predecessorOf(earlier, view.settings)
  const isPredecessorGone = epoch > 1 && !earlier.some((p) => p.spec.epoch === epoch - 1)
  const { secretVersion } = forge.value
  const weave = weavePlaceOf(promotion)
  return ok(
    new GitStrategy(forge.value.forge, promotion, view, {
      clock: c.env.clock,
      person,
      before,
      isPredecessorGone,
      weave,
      secretVersion,
    }),
  )
}

/** Pipelines of weaveworks that are served, and those that were imported, have this identity. */
function weavePlaceOf({ metadata, spec }: Stored<Promotion>): WeaveEnvironment | undefined {
  const { namespace = '' } = metadata
  const { identity, environment, pipelineRef } = spec
  if (identity !== weaveIdentity(namespace, pipelineRef.name)) return undefined
  return { namespace, pipeline: pipelineRef.name, environment }
}
