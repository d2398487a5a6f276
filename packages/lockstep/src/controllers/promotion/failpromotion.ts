/** Something outside has failed: what a promotion does about it, by what it was. */

import { keyText, parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Promotion } from '../../api/kinds/index.ts'
import {
  failedStep,
  POLL_MS,
  type PromotionState,
  promotionRef,
  retryDelayMs,
} from '../../decisions/promotion/index.ts'
import { inputSelection } from '../cache/index.ts'
import {
  failedAt,
  failureFacts,
  type GitProviderError,
  providerFailureBlocker,
  providerSecretName,
  reactionTo,
} from '../pipeline/index.ts'
import { hubTime, requeueAfter } from '../runtime/index.ts'
import type { PromotionDeps } from './promotiondeps.ts'
import { accountOfPromotion } from './promotiondeps.ts'
import { RELIST_MS } from './pullrequestvisibility.ts'
import type { RecordStep, StepResult } from './recordstep.ts'
import { strategyLocation } from './strategies/registry.ts'

/** Somebody says that it exists, and nobody lists it: looked at again so often, and then once a minute. */
const MOST_LOOKS = 3

export class FailPromotion {
  private readonly c: PromotionDeps
  private readonly recording: RecordStep
  /** What may have been done although it has failed: a look decides that. */
  private readonly suspects = new Map<string, GitProviderError>()
  /**
   * Failures in a row that count for nothing, by name: how long the next one is waited for. Only in memory: a process that begins
   * anew begins with short waits, and nothing is written once they are over.
   */
  private readonly uncounted = new Map<string, number>()
  /** Looks that have found nothing of what a host says is there, by name. */
  private readonly vain = new Map<string, number>()
  /** Of the Secrets that promotions have asked with last. */
  private readonly versions = new Map<string, string | undefined>()

  constructor(c: PromotionDeps, recording: RecordStep) {
    this.c = c
    this.recording = recording
  }

  /** What it had failed with, where only a look can say whether it was done all the same; asked once. */
  suspect(key: string): GitProviderError | undefined {
    const found = this.suspects.get(key)
    this.suspects.delete(key)
    return found
  }

  /** What it asks with. */
  uses(key: string, secretVersion: string | undefined): void {
    this.versions.set(key, secretVersion)
  }

  /** Its Secret is another one than it has asked with; what it was told when it began to watch is none. */
  isRotated(promotion: Stored<Promotion>): boolean {
    const { metadata, spec } = promotion
    const { namespace = '' } = metadata
    const name = providerSecretName(spec.settings)
    if (name === undefined) return false
    const account = accountOfPromotion(this.c, promotion)
    const seen = this.c.hub.secrets.select(account, inputSelection('Secret', { namespace, name }))
    const version = seen.type === 'Read' ? seen.objects[0]?.metadata.resourceVersion : undefined
    return version !== undefined && version !== this.versions.get(keyText(metadata))
  }

  /** Something was done. */
  succeeded(key: string): void {
    this.vain.delete(key)
    this.uncounted.delete(key)
  }

  /** It was looked at, and nothing was to be done. */
  saw(key: string): void {
    this.uncounted.delete(key)
  }

  forget(key: string): void {
    this.uncounted.delete(key)
    this.vain.delete(key)
    this.suspects.delete(key)
    this.versions.delete(key)
  }

  /** Tried again, waited for, looked at anew, or the end: by what has failed. */
  async failed(
    promotion: Stored<Promotion>,
    view: PromotionState,
    failure: GitProviderError,
  ): Promise<StepResult> {
    const { nowMs } = hubTime(this.c)
    const blocker = this.blockerOf(view, failure)
    const reaction = reactionTo(failure)
    switch (reaction.class) {
      case 'Terminal':
        return this.recording.follow(promotion, view, failedStep(blocker))
      case 'Wait':
        return this.waitFor(promotion, blocker, reaction.waitMs, nowMs)
      case 'Look':
        return this.lookAgain(promotion, view, failure, nowMs)
      case 'Retry':
        return this.retry(promotion, view, failure, nowMs)
    }
  }

  private blockerOf(view: PromotionState, failure: GitProviderError): NewBlocker {
    return providerFailureBlocker(promotionRef(view), strategyLocation(view.settings), failure)
  }

  /** Until then nothing is asked, whatever else happens; it costs no attempt. */
  waitFor(promotion: Stored<Promotion>, blocker: NewBlocker, ms: number, nowMs: number): Promise<StepResult> {
    const status = { ...promotion.status, nextAttempt: timestamp(nowMs + ms + 999) }
    if (blocker.reason === 'CredentialsRejected') this.watchSecret(promotion)
    return this.recording.wait(promotion, [blocker], ms, status)
  }

  /** From now on we are told when it is another one. */
  private watchSecret(promotion: Stored<Promotion>): void {
    const name = providerSecretName(promotion.spec.settings)
    if (name === undefined) return
    const account = accountOfPromotion(this.c, promotion)
    const { namespace } = account
    this.c.hub.secrets.select(account, inputSelection('Secret', { namespace, name }))
  }

  /** What was said to exist is looked for: at once, and after a moment where it is not listed yet. */
  private async lookAgain(
    promotion: Stored<Promotion>,
    view: PromotionState,
    failure: GitProviderError,
    nowMs: number,
  ): Promise<StepResult> {
    const key = keyText(promotion.metadata)
    const vain = (this.vain.get(key) ?? 0) + 1
    this.vain.set(key, vain)
    if (vain === 1) return { type: 'On', promotion }
    if (vain <= MOST_LOOKS) return { type: 'End', outcome: requeueAfter(RELIST_MS) }
    const { request, error } = failureFacts(failure)
    const on = [failedAt(strategyLocation(view.settings), failure)] as const
    const blocker = blocked('HostInconsistent', on, { because: 'Contradiction', request, error })
    return this.waitFor(promotion, blocker, POLL_MS, nowMs)
  }

  private async retry(
    promotion: Stored<Promotion>,
    view: PromotionState,
    failure: GitProviderError,
    nowMs: number,
  ): Promise<StepResult> {
    const key = keyText(promotion.metadata)
    if (failure.wrote === 'no' || this.suspects.has(key)) {
      this.suspects.delete(key)
      return this.counted(promotion, view, failure, nowMs)
    }
    this.suspects.set(key, failure)
    return { type: 'On', promotion }
  }

  /** Another attempt that has failed. */
  async counted(
    promotion: Stored<Promotion>,
    view: PromotionState,
    failure: GitProviderError,
    nowMs: number,
  ): Promise<StepResult> {
    const { retryPolicy } = view.settings
    const blocker = this.blockerOf(view, failure)
    const key = keyText(promotion.metadata)
    // A pull request that waits for people is not given up because its host does not answer, however often that was before.
    const counts = (view.phase !== 'Open' || failure.wrote === 'maybe') && failure.hasBegun !== true
    const before = counts ? (view.status.attempt ?? 0) : (this.uncounted.get(key) ?? 0)
    const attempt = before + 1
    if (!counts) this.uncounted.set(key, attempt)
    if (counts && attempt >= retryPolicy.attempts) {
      const since = parseTimestampMs(view.status.since ?? '') ?? nowMs
      const facts = { attempts: attempt, tookMs: nowMs - since, ...failureFacts(failure) }
      const on = [failedAt(strategyLocation(view.settings), failure)] as const
      return this.recording.follow(promotion, view, failedStep(blocked('RetriesExhausted', on, facts)))
    }
    const plainMs = retryDelayMs(retryPolicy, Math.min(attempt, 30), this.c.env.random.next())
    const delayMs = Math.max(plainMs, failure.retryAfterMs ?? 0)
    const status = {
      ...promotion.status,
      ...(counts ? { attempt } : {}),
      nextAttempt: timestamp(nowMs + delayMs),
    }
    return this.recording.wait(promotion, [blocker], delayMs, status)
  }
}
