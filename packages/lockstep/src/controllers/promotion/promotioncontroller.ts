import type { Result } from '@lockstep/kube/env'
import { keyText, parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Promotion } from '../../api/kinds/index.ts'
import {
  begin,
  changesDestination,
  isEnded,
  POLL_MS,
  type PromotionEffect,
  type PromotionHold,
  type PromotionState,
  WAIT_MS,
  whileHeld,
} from '../../decisions/promotion/index.ts'
import { promotionView } from '../cache/index.ts'
import {
  type GitProviderError,
  isLeaving,
  livePipelineHolds,
  type PipelineGate,
  pipelineOfPromotion,
} from '../pipeline/index.ts'
import {
  always,
  type Controller,
  defineController,
  failed,
  hubTime,
  type ObjectKey,
  type ObjectName,
  objectKey,
  on,
  refreshHubClock,
  requeueAfter,
} from '../runtime/index.ts'
import { convergePromotion } from './converge.ts'
import { FailPromotion } from './failpromotion.ts'
import { FinalizePromotion } from './finalizepromotion.ts'
import { performCounted } from './lease/actionlease.ts'
import { PromotionChecks } from './promotionchecks.ts'
import { beginInput, heldBack, type PromotionContext } from './promotioncontext.ts'
import { PROMOTION_CONTROLLER, type PromotionDeps } from './promotiondeps.ts'
import {
  PHASES_BEFORE_OPEN,
  pauseClocks,
  pipelineNotFound,
  promotionScopeOf,
  strategyContext,
} from './promotionscope.ts'
import { updatePromotionStore } from './promotionstore.ts'
import { ProviderReads } from './providerreads.ts'
import { PullRequestVisibility, RELIST_MS, unlistedBlocker } from './pullrequestvisibility.ts'
import { recordFence } from './recordfence.ts'
import { RecordStep, type StepResult } from './recordstep.ts'
import { gitStrategyOf, strategyOf } from './strategies/registry.ts'
import type { PerformResult, PromotionOptions, PromotionStrategy } from './strategies/strategy.ts'
import { extendedSweepUntil, sweepOnce, sweepRemainingMs } from './sweeper.ts'
import { pipelineOfKey, promotionsOf, promotionWatches } from './watches.ts'

/** So many things follow one another in one look: the rest comes in the next. */
const MOST_STEPS = 12
const READ_TIMEOUT_MS = 60_000

export function promotionController(
  d: PromotionDeps,
  options: PromotionOptions,
  gate: PipelineGate,
): Controller<ObjectKey> {
  const reconciler = new PromotionReconciler(d, options)
  return defineController({
    name: PROMOTION_CONTROLLER,
    key: objectKey,
    for: on('promotions', always, (p) => promotionsOf(d, pipelineOfPromotion(p))),
    watches: promotionWatches(d, (p) => reconciler.hurry(p)),
    reconcile: async (key) => (await gate(pipelineOfKey(d, key))) ?? reconciler.reconcile(key),
  })
}

class PromotionReconciler {
  private readonly c: PromotionDeps
  private readonly o: PromotionOptions
  private readonly checker: PromotionChecks
  private readonly reads: ProviderReads
  private readonly hurried = new Set<string>()
  private readonly unlisted: PullRequestVisibility
  private readonly recording: RecordStep
  private readonly failing: FailPromotion
  private readonly leaving: FinalizePromotion

  constructor(c: PromotionDeps, o: PromotionOptions) {
    this.c = c
    this.o = o
    this.checker = new PromotionChecks(c)
    this.reads = new ProviderReads(c.env.clock)
    this.unlisted = new PullRequestVisibility(c.env.clock)
    this.recording = new RecordStep(c)
    this.failing = new FailPromotion(c, this.recording)
    this.leaving = new FinalizePromotion(c, o, this.recording)
  }

  async reconcile({ namespace, name }: ObjectKey): Promise<ReconcileResult> {
    const key = keyText({ namespace, name })
    const known = this.c.hub.promotions.store.get(key)
    if (!known) return this.gone({ namespace, name })
    await refreshHubClock(this.c, known.metadata.namespace ?? '')
    if (isLeaving(known)) return (await this.leaving.leave(known)) ?? this.gone({ namespace, name })
    const kept = await this.leaving.keep(known)
    if (kept) return kept
    // A look at its host is over before its checks are.
    if (known.status?.phase !== 'Verifying') this.checker.forget({ namespace, name })
    if (isEnded(known.status?.phase)) return this.sweepAfter(key, known)
    const waitMs = this.backingOffMs(known)
    if (waitMs > 0) return requeueAfter(waitMs)
    let promotion = known
    for (let i = 0; i < MOST_STEPS; i++) {
      const done = await this.advance(promotion)
      if (done.type === 'End') return this.besides(key, done.outcome)
      promotion = done.promotion
      if (isEnded(promotion.status?.phase)) return this.sweepAfter(key, promotion)
    }
    return requeueAfter(1)
  }

  /** While its targets get there, its host is looked at, too. */
  private async besides(key: string, outcome: ReconcileResult): Promise<ReconcileResult> {
    const now = this.c.hub.promotions.store.get(key)
    const phase = now?.status?.phase
    if (!now || !outcome.ok || outcome.isOvertaken || (phase !== 'Converging' && phase !== 'Verifying'))
      return outcome
    const swept = await this.sweepAfter(key, now)
    const wakes = [outcome.requeueAfterMs, swept.requeueAfterMs].filter((ms) => ms !== undefined)
    return { ok: true, ...(wakes.length === 0 ? {} : { requeueAfterMs: Math.min(...wakes) }) }
  }

  private gone(name: ObjectName): ReconcileResult {
    this.checker.forget(name)
    return this.forget(keyText(name))
  }

  private forget(key: string): ReconcileResult {
    this.reads.forget(key)
    this.hurried.delete(key)
    this.failing.forget(key)
    this.unlisted.forget(key)
    return { ok: true }
  }

  /** It has ended; only its host is looked at, for a while. */
  private async sweepAfter(key: string, promotion: Stored<Promotion>): Promise<ReconcileResult> {
    const { nowMs } = hubTime(this.c)
    const anewMs = extendedSweepUntil(this.c, promotion, nowMs)
    if (anewMs !== undefined) {
      const sweepUntil = timestamp(anewMs)
      const saved = await updatePromotionStore(this.c, promotion, { ...promotion.status, sweepUntil })
      return saved.error ? saved : requeueAfter(1)
    }
    if (sweepRemainingMs(promotion, nowMs) === 0) return this.forget(key)
    const waitMs = this.reads.remainingMs(key, promotion.metadata.uid)
    if (waitMs > 0) return requeueAfter(waitMs)
    const view = promotionView(promotion)
    const work = await gitStrategyOf(this.c, this.o, promotion, view)
    if (!work.ok) return requeueAfter(POLL_MS)
    const seenAtMs = this.reads.seenAtMs(key)
    const swept = await sweepOnce(this.c, {
      promotion,
      view,
      work: work.value,
      acting: this.o.acting,
      seenAtMs,
    })
    this.reads.seen(key, work.value.glanced?.atMs ?? this.c.env.clock.steady() + 1)
    this.reads.defer(key, promotion.metadata.uid, swept.requeueAfterMs)
    return swept
  }

  /** Before the next attempt nothing is asked of anybody. */
  private backingOffMs({ metadata, status }: Stored<Promotion>): number {
    const at = parseTimestampMs(status?.nextAttempt ?? '')
    const waits = status?.blockers?.[0]?.reason
    if (this.hurried.delete(keyText(metadata)) && waits === 'CredentialsRejected') return 0
    return at === undefined ? 0 : Math.max(0, at - hubTime(this.c).nowMs)
  }

  /** Its credentials are others now: what was refused is tried at once. */
  hurry(promotion: Stored<Promotion>): void {
    if (this.failing.isRotated(promotion)) this.hurried.add(keyText(promotion.metadata))
  }

  private async advance(promotion: Stored<Promotion>): Promise<StepResult> {
    const around = this.around(promotion)
    const view = promotionView(promotion)
    if (!around) return this.lost(promotion, view)
    // A restore may have made another one the older: what is open is seen to its end.
    if (around.conflict && PHASES_BEFORE_OPEN.has(view.phase))
      return this.recording.wait(promotion, [around.conflict], POLL_MS)
    switch (view.phase) {
      case 'Pending': {
        const step = begin(beginInput(this.c, view, around, promotion))
        return step.type === 'Prepare'
          ? this.prepare(promotion, view, around)
          : this.recording.follow(promotion, view, step)
      }
      case 'Converging':
      case 'Verifying': {
        const { status, step, wakeMs } = await convergePromotion(this.c, this.checker, promotion, around)
        return this.recording.follow(promotion, view, step, { status, wakeMs })
      }
      default:
        return this.outside(promotion, view, around)
    }
  }

  private lost(promotion: Stored<Promotion>, view: PromotionState): Promise<StepResult> {
    const { phase, status } = view
    const isTimed = phase === 'Converging' || phase === 'Verifying'
    const now = isTimed ? pauseClocks(promotion, view, hubTime(this.c).nowMs) : status
    return this.recording.wait(promotion, [pipelineNotFound(promotion)], undefined, now)
  }

  private around(promotion: Stored<Promotion>): PromotionContext | undefined {
    return promotionScopeOf(this.c, promotion)
  }

  /** What it would change is made ready, and stored before anybody is asked to do it. */
  private async prepare(
    promotion: Stored<Promotion>,
    view: PromotionState,
    around: PromotionContext,
  ): Promise<StepResult> {
    const { strategy } = view.settings
    if (strategy === 'manual')
      return this.recording.follow(promotion, view, { type: 'Phase', to: 'Converging' })
    const work = await strategyOf(this.c, this.o, promotion, view, around)
    this.failing.uses(keyText(promotion.metadata), work.ok ? work.value.secretVersion : undefined)
    if (!work.ok) return this.failing.waitFor(promotion, work.error, WAIT_MS, around.nowMs)
    return this.build(promotion, view, work.value, undefined)
  }

  private async build(
    promotion: Stored<Promotion>,
    view: PromotionState,
    work: PromotionStrategy,
    previous: string | undefined,
    isBegun = previous !== undefined,
  ): Promise<StepResult> {
    const made = await work.prepare(previous, { timeoutMs: READ_TIMEOUT_MS })
    if (!made.ok) return this.failing.failed(promotion, view, made.error)
    switch (made.value.type) {
      case 'Refused': {
        const message = made.value.refusals.map((r) => r.message).join('\n')
        const reason = made.value.refusals[0]?.reason ?? 'NothingToEdit'
        return this.recording.follow(promotion, view, { type: 'Phase', to: 'Failed', reason, message })
      }
      case 'Present':
        // Of a phase before an effect: of a later one the look has said it.
        return this.recording.follow(promotion, view, {
          type: 'Phase',
          to: 'Converging',
          result: { alreadyAtRevision: true },
          ...(made.value.intent === undefined ? {} : { intent: made.value.intent }),
        })
      case 'Intent': {
        const { intent } = made.value
        // What has begun does not ask anew whether it may.
        const to = isBegun ? 'Applying' : 'Prepared'
        const rebuilt = view.phase === 'Pending' ? {} : { rebuilt: (view.status.rebuilt ?? 0) + 1 }
        return this.recording.store(promotion, { type: 'Phase', to, intent }, rebuilt)
      }
    }
  }

  /**
   * What is stored cannot be made again, so it is stored anew. That repeats nothing: nothing of it was sent here, and the look
   * right before has found nothing of this key, which it knows by its trailer whatever the commit is. What a process before this
   * one has sent, and what arrives only now, meets a compare-and-swap: one of the two is refused, and the next look finds the
   * other, at the base by its trailer, on the branch as the commit that the new one takes the place of.
   */
  private buildAnew(
    promotion: Stored<Promotion>,
    view: PromotionState,
    work: PromotionStrategy,
    effect: PromotionEffect,
  ): Promise<StepResult> {
    const isMove = effect.type === 'MoveBranch'
    return this.build(promotion, view, work, isMove ? effect.from : view.status.intent?.commit, isMove)
  }

  /** Phases that have to do with a host: what is found there says what is next. */
  private async outside(
    promotion: Stored<Promotion>,
    view: PromotionState,
    around: PromotionContext,
  ): Promise<StepResult> {
    const key = keyText(promotion.metadata)
    if (view.phase !== 'Prepared') this.unlisted.meets(key)
    const held = heldBack(this.c, view, around)
    const of = `${promotion.metadata.resourceVersion} ${around.newer?.name ?? ''} ${heldKey(held)}`
    const waitMs = view.phase === 'Prepared' ? 0 : this.reads.remainingMs(key, of)
    if (waitMs > 0) return { type: 'End', outcome: requeueAfter(waitMs) }
    const work = await strategyOf(this.c, this.o, promotion, view, around)
    this.failing.uses(key, work.ok ? work.value.secretVersion : undefined)
    if (!work.ok) return this.failing.waitFor(promotion, work.error, WAIT_MS, around.nowMs)
    const lookedAtMs = this.c.env.clock.steady()
    const looked = await work.value.look(
      strategyContext(this.c, promotion, view, { around, held, seenAtMs: this.reads.seenAtMs(key) }),
      {
        timeoutMs: READ_TIMEOUT_MS,
      },
    )
    if (!looked.ok) return this.failing.failed(promotion, view, looked.error)
    const step = looked.value
    this.reads.seen(key, work.value.glanced?.atMs ?? lookedAtMs + 1)
    if (step.type === 'Rebuild') return this.build(promotion, view, work.value, step.previous, step.isBegun)
    if (step.type === 'Phase' && step.to === 'Applying') return this.apply(promotion, view, around)
    const suspect = this.failing.suspect(key)
    // Not done after all.
    if (step.type === 'Effect' && suspect) return this.failing.counted(promotion, view, suspect, around.nowMs)
    if (step.type !== 'Effect') this.failing.saw(key)
    const wakeMs = work.value.glanced?.againMs
    if (step.type === 'Wait') this.reads.defer(key, of, wakeMs)
    if (step.type !== 'Effect') return this.recording.follow(promotion, view, step, { wakeMs })
    if (step.effect.type === 'OpenPull') {
      const leftMs = this.unlisted.leftMs(key)
      if (leftMs > 0)
        return this.recording.wait(promotion, [unlistedBlocker(view)], Math.min(leftMs, RELIST_MS))
    }
    const stays = changesDestination(step.effect, view) ? await this.heldNow(promotion, view) : undefined
    if (stays) {
      this.reads.defer(key, of)
      return stays
    }
    const acting = await recordFence(this.c, this.o.acting, promotion)
    if (!acting.ok) return { type: 'End', outcome: acting.error }
    const { timeoutMs } = acting.value
    const done = await performCounted(this.o.acting, () => work.value.perform(step.effect, { timeoutMs }))
    if (!done) return { type: 'End', outcome: requeueAfter(500) }
    this.reads.seen(key, this.c.env.clock.steady() + 1)
    if (done.ok && done.value === 'other')
      return this.buildAnew(acting.value.promotion, view, work.value, step.effect)
    this.performed(key, step.effect, done)
    if (done.ok) {
      this.failing.succeeded(key)
      const after = work.value.after?.(step.effect)
      if (after) return this.recording.follow(acting.value.promotion, view, after)
      return { type: 'On', promotion: acting.value.promotion }
    }
    return this.failing.failed(acting.value.promotion, view, done.error)
  }

  private performed(
    key: string,
    effect: PromotionEffect,
    done: Result<PerformResult, GitProviderError>,
  ): void {
    if (effect.type === 'Push' && done.ok && done.value !== 'same') this.unlisted.pushed(key)
    const isThere = done.ok || done.error.wrote === 'maybe' || done.error.kind === 'Exists'
    if (effect.type === 'OpenPull' && isThere) this.unlisted.opened(key)
  }

  /**
   * The swap after which something is done: who has consented is read once more, and not from a cache; and what time it is,
   * since a host may take a minute to be looked at.
   */
  private async apply(
    promotion: Stored<Promotion>,
    view: PromotionState,
    before: PromotionContext,
  ): Promise<StepResult> {
    const live = await livePipelineHolds(this.c, before.pipeline, hubTime(this.c).nowMs)
    if (!live.ok) return { type: 'End', outcome: failed(live.error) }
    const around = this.around(promotion)
    if (!around) return this.recording.wait(promotion, [pipelineNotFound(promotion)])
    const consents = { ...live.value, holds: [...live.value.holds, ...around.about] }
    const step = begin(beginInput(this.c, view, { ...around, consents }, promotion))
    if (step.type !== 'Prepare') return this.recording.follow(promotion, view, step)
    const done = await this.recording.store(promotion, { type: 'Phase', to: 'Applying' })
    if (done.type === 'On') this.unlisted.begins(keyText(promotion.metadata))
    return done
  }

  /** Right before a destination is changed: a look may have taken a minute, and a cache may be behind. */
  private async heldNow(promotion: Stored<Promotion>, view: PromotionState): Promise<StepResult | undefined> {
    const around = this.around(promotion)
    if (!around) return this.recording.wait(promotion, [pipelineNotFound(promotion)])
    const live = await livePipelineHolds(this.c, around.pipeline, around.nowMs)
    if (!live.ok) return { type: 'End', outcome: failed(live.error) }
    const consents = { ...live.value, holds: [...live.value.holds, ...around.about] }
    const held = heldBack(this.c, view, { ...around, consents })
    return held && this.recording.follow(promotion, view, whileHeld(held, around.nowMs))
  }
}

/** Tells one hold from another. */
const heldKey = (held: PromotionHold | undefined): string =>
  held === undefined ? '' : JSON.stringify([held.blocker.reason, held.blocker.on, held.untilMs])
