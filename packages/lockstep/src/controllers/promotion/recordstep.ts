/** What one step of a promotion comes to is stored: a phase, or what it waits for. */

import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { NewBlocker } from '../../api/blocker.ts'
import type { Promotion, PromotionStatus } from '../../api/kinds/index.ts'
import { isEnded, type PromotionState, type PromotionStep } from '../../decisions/promotion/index.ts'
import { hubTime } from '../runtime/index.ts'
import type { PromotionDeps } from './promotiondeps.ts'
import { enterPhase, type PhaseStep, updatePromotionStore, withBlockers } from './promotionstore.ts'

/** What comes of one step: on with what is stored now, or later. */
export type StepResult =
  | { readonly type: 'On'; readonly promotion: Stored<Promotion> }
  | { readonly type: 'End'; readonly outcome: ReconcileResult }

export class RecordStep {
  private readonly c: PromotionDeps

  constructor(c: PromotionDeps) {
    this.c = c
  }

  /** `status`: as it is to be besides, where that is another than is stored. */
  follow(
    promotion: Stored<Promotion>,
    view: PromotionState,
    step: PromotionStep,
    { status, wakeMs }: { readonly status?: PromotionStatus; readonly wakeMs?: number | undefined } = {},
  ): Promise<StepResult> {
    if (step.type === 'Phase') return this.store(promotion, step, {}, status)
    if (step.type !== 'Wait') throw new Error(`${view.name}: ${step.type} cannot follow ${view.phase}`)
    const { nowMs } = hubTime(this.c)
    const untilMs = step.untilMs === undefined ? undefined : Math.max(1, step.untilMs - nowMs)
    const wakes = [untilMs, wakeMs].filter((ms) => ms !== undefined)
    return this.wait(promotion, step.blockers, wakes.length === 0 ? undefined : Math.min(...wakes), status)
  }

  async store(
    promotion: Stored<Promotion>,
    step: PhaseStep,
    more: PromotionStatus = {},
    status: PromotionStatus = promotion.status ?? {},
  ): Promise<StepResult> {
    const next = { ...enterPhase({ ...promotion, status }, step, hubTime(this.c).nowMs), ...more }
    const saved = await updatePromotionStore(this.c, promotion, next)
    if (saved.error) return { type: 'End', outcome: saved }
    this.tell(saved.object, promotion.status?.phase)
    return { type: 'On', promotion: saved.object }
  }

  private tell(promotion: Stored<Promotion>, before: string | undefined): void {
    const { phase = 'Pending', message, reason } = promotion.status ?? {}
    if (phase === before) return
    if (isEnded(promotion.status?.phase))
      this.c.env.meters.count('lockstep_promotions_total', { result: phase })
    const type = phase === 'Failed' || phase === 'Rejected' ? 'Warning' : 'Normal'
    const text = `${promotion.spec.environment}: ${promotion.spec.revision} is ${phase}${message === undefined ? '' : `: ${message}`}`
    this.c.events.record(promotion, [
      { type, action: 'Promote', reason: phase as never, text, of: `${phase} ${reason ?? ''}` },
    ])
  }

  async wait(
    promotion: Stored<Promotion>,
    blockers: readonly NewBlocker[],
    afterMs?: number,
    status: PromotionStatus = promotion.status ?? {},
  ): Promise<StepResult> {
    const next = withBlockers(promotion, status, blockers, hubTime(this.c).nowMs)
    const saved = await updatePromotionStore(this.c, promotion, next)
    if (saved.error) return { type: 'End', outcome: saved }
    return {
      type: 'End',
      outcome: { ok: true, ...(afterMs === undefined ? {} : { requeueAfterMs: afterMs }) },
    }
  }
}
