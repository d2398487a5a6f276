/** The fence of a Promotion: the process that acts at its provider, recorded before it sends a request. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Promotion } from '../../api/kinds/index.ts'
import { requeueAfter } from '../runtime/index.ts'
import { type ActionLease, grantAction } from './lease/actionlease.ts'
import type { PromotionDeps } from './promotiondeps.ts'
import { updatePromotionStore } from './promotionstore.ts'

interface FencedPromotion {
  readonly promotion: Stored<Promotion>
  /** For the request. */
  readonly timeoutMs: number
}

/** A compare-and-swap that a previous leader loses. An error: nothing may be sent now. */
export async function recordFence(
  c: PromotionDeps,
  lease: ActionLease,
  promotion: Stored<Promotion>,
): Promise<Result<FencedPromotion, ReconcileResult>> {
  const acting = grantAction(lease)
  if (!acting) return err(requeueAfter(500))
  const { fence } = promotion.status ?? {}
  const isOurs = fence?.holder === acting.holder && fence.transitions === acting.transitions
  if (isOurs) return ok({ promotion, timeoutMs: acting.timeoutMs })
  const { holder, transitions } = acting
  const saved = await updatePromotionStore(c, promotion, {
    ...promotion.status,
    fence: { holder, transitions },
  })
  // The write has used some of the time of the Lease.
  return saved.error ? err(saved) : recordFence(c, lease, saved.object)
}
