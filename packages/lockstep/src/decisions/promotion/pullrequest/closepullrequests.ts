/** A Pipeline that is deleted, or a Promotion: what of it is open at a Git host, and what becomes of that. */

import { parseTimestampMs, timestamp } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { Pipeline, PromotionSettings } from '../../../api/kinds/index.ts'
import { promotionRef } from '../promotionref.ts'
import { isEnded, type PromotionEffect, type PromotionState } from '../promotionstate.ts'
import { closingUntilMs } from './listdelay.ts'
import type { PullRequestObservation } from './pullrequestlookup.ts'

export const shouldClosePullRequests = (
  { spec }: Pick<Pipeline, 'spec'>,
  { strategy }: Pick<PromotionSettings, 'strategy'>,
): boolean => spec.deletionPolicy === 'Close' && strategy === 'pull-request'

/**
 * Something of it may be open at its host, now or as soon as it goes on. What has ended well was closed or merged, and only what
 * a lost answer has left behind may come to light for a while.
 */
export function mayBeOpen({ phase, status }: PromotionState, nowMs: number): boolean {
  if (!isEnded(phase)) return true
  if (status.intent?.branch === undefined) return false
  const isSwept = (parseTimestampMs(status.sweepUntil ?? '') ?? 0) > nowMs
  return isSwept || phase === 'Failed' || phase === 'Aborted'
}

export interface ClosePullRequestsInput {
  readonly promotion: PromotionState
  readonly pulls: readonly PullRequestObservation[]
  /** At the head of its branch; undefined: there is none. */
  readonly branch: string | undefined
  /** Somebody has a pull request of its branch onto another one, which a host closes with the branch. */
  readonly isShared: boolean
  /** Another promotion goes on with its pull request. */
  readonly isTaken: boolean
  readonly nowMs: number
}

/**
 * The next thing to be done; undefined: nothing of it is left. What others have opened is theirs, and so are their commits: the
 * branch stays where it has some. It stays as well while something may be open on it that no list has: a host closes that with its
 * branch, and nobody would say why.
 */
export function nextClosingEffect({
  promotion,
  pulls,
  branch,
  isShared,
  isTaken,
  nowMs,
}: ClosePullRequestsInput): PromotionEffect | undefined {
  const { settings, status, key, name } = promotion
  const { adopts, inherits, commit, previous } = status.intent ?? {}
  if (adopts !== undefined || isTaken) return undefined
  const isOurs = (p: PullRequestObservation) => p.key === undefined || p.key === key || p.key === inherits
  const open = pulls.find((p) => p.state === 'open' && isOurs(p))
  if (open) return { type: 'ClosePull', number: open.number, comment: `Promotion ${name} was deleted` }
  const isAtOurs = branch !== undefined && (branch === commit || branch === previous)
  const isLate = (closingUntilMs(promotion) ?? 0) > nowMs
  if (isAtOurs && !isLate && !isShared && (settings.pullRequest?.deleteBranch ?? true))
    return { type: 'RemoveBranch', expect: branch }
  return undefined
}

type ClosingPromotion = Pick<PromotionState, 'name' | 'namespace'>

/** Its pull requests are closed, as its Pipeline asks. `pipeline`: its key, for the advice. */
export const closingBlocker = (promotion: ClosingPromotion, pipeline: string): NewBlocker =>
  blocked('ClosingPullRequests', [promotionRef(promotion)], { because: 'Closing', pipeline })

/** Its pull request is closed, and lists do not have it: another object of this promotion would not find it. */
export const unlistedClosing = (promotion: ClosingPromotion, pipeline: string): NewBlocker =>
  blocked('ClosingPullRequests', [promotionRef(promotion)], { because: 'NotListed', pipeline })

/** Its pull request was being opened at its deletion, and may appear in lists until then. */
export const lateClosing = (promotion: ClosingPromotion, pipeline: string, untilMs: number): NewBlocker =>
  blocked('ClosingPullRequests', [promotionRef(promotion), { kind: 'Time', name: timestamp(untilMs) }], {
    because: 'MayAppear',
    pipeline,
    at: timestamp(untilMs),
  })
