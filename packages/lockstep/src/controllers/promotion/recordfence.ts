/** The fence of a Promotion: the process that acts at its provider, recorded before it sends a request. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Promotion } from '../../api/kinds/index.ts'
import type { ControllerContext } from '../cache/index.ts'
import { failedWrite } from '../runtime/index.ts'
import { type ActionLease, grantAction } from './actionlease.ts'
import { updatePromotionStore } from './promotionstore.ts'

interface FencedPromotion {
  readonly promotion: Stored<Promotion>
  /** For the request. */
  readonly timeoutMs: number
}

/** A compare-and-swap that a previous leader loses. An error: nothing may be sent now. */
export async function recordFence(
  c: ControllerContext,
  lease: ActionLease,
  promotion: Stored<Promotion>,
): Promise<Result<FencedPromotion, ReconcileResult>> {
  const acting = grantAction(lease)
  if (!acting) return err({ ok: true, requeueAfterMs: 500 })
  const { fence } = promotion.status ?? {}
  const isOurs = fence?.holder === acting.holder && fence.transitions === acting.transitions
  if (isOurs) return ok({ promotion, timeoutMs: acting.timeoutMs })
  const { holder, transitions } = acting
  const saved = await updatePromotionStore(c, promotion, {
    ...promotion.status,
    fence: { holder, transitions },
  })
  // The write has used some of the time of the Lease.
  return saved.ok ? recordFence(c, lease, saved.value) : err(failedWrite(c, saved.error))
}
