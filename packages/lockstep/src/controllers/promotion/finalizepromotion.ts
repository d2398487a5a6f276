/** Promotions that are deleted: their pull requests are closed first, where that is asked for. */

import { keyText, parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { NewBlocker } from '../../api/blocker.ts'
import { type Pipeline, type Promotion, promotionKind } from '../../api/kinds/index.ts'
import {
  closingBlocker,
  closingUntilMs,
  isEnded,
  lateClosing,
  mayBeOpen,
  nextClosingEffect,
  type PromotionState,
  promotionRef,
  shouldClosePullRequests,
  unlistedClosing,
} from '../../decisions/promotion/index.ts'
import { promotionView } from '../cache/index.ts'
import {
  type GitProviderError,
  isKept,
  providerFailureBlocker,
  reactionTo,
  setPullRequestsFinalizer,
} from '../pipeline/index.ts'
import { hubTime, requeueAfter } from '../runtime/index.ts'
import { grantAction, performCounted } from './lease/actionlease.ts'
import { withSharedTimeout } from './lease/sharedtimeout.ts'
import type { PromotionDeps } from './promotiondeps.ts'
import { pullRequestTransferOf } from './pullrequesttransfer.ts'
import { RELIST_MS } from './pullrequestvisibility.ts'
import type { RecordStep } from './recordstep.ts'
import { gitStrategyOf, strategyLocation } from './strategies/registry.ts'
import type { PromotionOptions } from './strategies/strategy.ts'

/** What a host did not answer is asked for again after so long; and so many things are done in one look. */
const AGAIN_MS = 60_000
const MOST = 10

export class FinalizePromotion {
  private readonly c: PromotionDeps
  private readonly o: PromotionOptions
  private readonly recording: RecordStep

  constructor(c: PromotionDeps, o: PromotionOptions, recording: RecordStep) {
    this.c = c
    this.o = o
    this.recording = recording
  }

  /** A promotion that nobody deletes is kept from going unseen, or not any more. Undefined: it is as it should be. */
  async keep(promotion: Stored<Promotion>): Promise<ReconcileResult | undefined> {
    const pipeline = this.pipelineOf(promotion)
    if (!pipeline) return undefined
    const view = promotionView(promotion)
    const wanted = shouldClosePullRequests(pipeline, view.settings) && mayBeOpen(view, hubTime(this.c).nowMs)
    if (wanted === isKept(promotion)) return undefined
    return setPullRequestsFinalizer(this.c, promotionKind, promotion, wanted)
  }

  /** One that is deleted. Undefined: nothing keeps it. */
  async leave(promotion: Stored<Promotion>): Promise<ReconcileResult | undefined> {
    if (!isKept(promotion)) return undefined
    const pipeline = this.pipelineOf(promotion)
    const view = promotionView(promotion)
    const { nowMs } = hubTime(this.c)
    // Without its pipeline nobody says that anything is to be closed.
    if (!pipeline || !shouldClosePullRequests(pipeline, view.settings) || !mayBeOpen(view, nowMs))
      return setPullRequestsFinalizer(this.c, promotionKind, promotion, false)
    if (!isEnded(view.phase)) {
      const message = 'it was deleted, and its pull requests are closed'
      const step = { type: 'Phase', to: 'Aborted', reason: 'Deleted', message } as const
      const done = await this.recording.store(promotion, step)
      return done.type === 'End' ? done.outcome : requeueAfter(1)
    }
    // Nothing was ever made ready: nobody has to be asked.
    if (view.status.intent?.branch === undefined)
      return setPullRequestsFinalizer(this.c, promotionKind, promotion, false)
    const waitMs = (parseTimestampMs(view.status.nextAttempt ?? '') ?? 0) - nowMs
    return waitMs > 0 ? requeueAfter(waitMs) : this.close(promotion, view, keyText(pipeline.metadata))
  }

  private async close(
    promotion: Stored<Promotion>,
    view: PromotionState,
    pipeline: string,
  ): Promise<ReconcileResult> {
    const work = await gitStrategyOf(this.c, this.o, promotion, view)
    if (!work.ok) return this.waits(promotion, view, work.error, { ms: AGAIN_MS, pipeline })
    const failed = (f: GitProviderError) => {
      const blocker = providerFailureBlocker(promotionRef(view), strategyLocation(view.settings), f)
      const { class: how, waitMs } = reactionTo(f)
      return this.waits(promotion, view, blocker, { ms: how === 'Wait' ? waitMs : AGAIN_MS, pipeline })
    }
    for (let i = 0; i < MOST; i++) {
      const acting = grantAction(this.o.acting)
      if (!acting) return requeueAfter(500)
      const left = withSharedTimeout(this.c.env.clock, acting)
      const found = await work.value.leftovers(left())
      if (!found.ok) return failed(found.error)
      const isTaken = pullRequestTransferOf(this.c, this.pipelineOf(promotion), promotion) === 'Taken'
      const { nowMs } = hubTime(this.c)
      const next = nextClosingEffect({ promotion: view, ...found.value, isTaken, nowMs })
      if (!next && found.value.isUnlisted)
        return this.waits(promotion, view, unlistedClosing(view, pipeline), { ms: RELIST_MS, pipeline })
      if (!next) return this.closed(promotion, view, pipeline)
      const done = await performCounted(this.o.acting, () => work.value.perform(next, left()))
      if (!done) return requeueAfter(500)
      // What was merged or moved meanwhile is looked at anew.
      if (!done.ok && reactionTo(done.error).class !== 'Look') return failed(done.error)
    }
    return requeueAfter(AGAIN_MS)
  }

  private async closed(
    promotion: Stored<Promotion>,
    view: PromotionState,
    pipeline: string,
  ): Promise<ReconcileResult> {
    const untilMs = closingUntilMs(view)
    const leftMs = untilMs === undefined ? 0 : untilMs - hubTime(this.c).nowMs
    if (leftMs <= 0) return setPullRequestsFinalizer(this.c, promotionKind, promotion, false)
    return this.waits(promotion, view, lateClosing(view, pipeline, untilMs!), { ms: leftMs, pipeline })
  }

  /** Until then nobody is asked, whatever else happens. */
  private async waits(
    promotion: Stored<Promotion>,
    view: PromotionState,
    blocker: NewBlocker,
    { ms, pipeline }: { readonly ms: number; readonly pipeline: string },
  ): Promise<ReconcileResult> {
    const status = { ...promotion.status, nextAttempt: timestamp(hubTime(this.c).nowMs + ms) }
    const closing = blocker.reason === 'ClosingPullRequests' ? [] : [closingBlocker(view, pipeline)]
    const done = await this.recording.wait(promotion, [blocker, ...closing], ms, status)
    return done.type === 'End' ? done.outcome : requeueAfter(ms)
  }

  private pipelineOf({ metadata, spec }: Stored<Promotion>): Stored<Pipeline> | undefined {
    const { namespace = '' } = metadata
    return this.c.hub.pipelines.store.get({ namespace, name: spec.pipelineRef.name })
  }
}
