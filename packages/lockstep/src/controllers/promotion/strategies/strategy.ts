/**
 * What a strategy does outside. It is looked at before and after each thing that is done, by the same code on the first try and
 * after any crash: nothing is kept between two looks but what is stored.
 */

import type { Result } from '@lockstep/kube/env'
import type { NewBlocker } from '../../../api/blocker.ts'
import type { PromotionIntent } from '../../../api/kinds/index.ts'
import type {
  NewerPromotion,
  PromotionEffect,
  PromotionHold,
  PromotionState,
  PromotionStep,
} from '../../../decisions/promotion/index.ts'
import type { GitAccessOpener } from '../../../gitproviders/gitaccess.ts'
import type { CallOptions } from '../../../gitproviders/gitprovider.ts'
import type { GitProviderError } from '../../pipeline/index.ts'
import type { ActionLease } from '../lease/actionlease.ts'

/** What one process of controllers is told of promotions. */
export interface PromotionOptions {
  readonly forges: GitAccessOpener
  readonly acting: ActionLease
  /** `Name <address>`, on commits. */
  readonly person: string
}

export type ProviderResult<T> = Promise<Result<T, GitProviderError>>

export type PreparedChange =
  | { readonly type: 'Intent'; readonly intent: PromotionIntent }
  /** Every place has the value already. `intent`: what an object of this very promotion has left behind, which is gone. */
  | { readonly type: 'Present'; readonly intent?: PromotionIntent }
  | { readonly type: 'Refused'; readonly refusals: readonly NewBlocker[] }

/** What else than the world outside decides what is next. */
export interface StrategyContext {
  readonly newer: NewerPromotion | undefined
  /** What keeps us from merging, pushing, applying and telling. People may. */
  readonly held: PromotionHold | undefined
  /** All its targets are at the revision. */
  readonly isThere: boolean
  /** What succeeded last, where the base has to have it: that it does not says that somebody has taken it back there. */
  readonly done: Pick<PromotionState, 'name' | 'id'> | undefined
  /** The newer one may go on with the pull request of this one, and waits for nothing else. */
  readonly mayTransfer: boolean
  /** When this promotion saw or did something outside last, by the steady clock: what was seen before says nothing more. */
  readonly seenAtMs: number
  readonly nowMs: number
}

/**
 * `same`: it was so before, by somebody else, or by a request of which nobody has heard. `other`: nothing was sent, since what is
 * stored cannot be made again: another author, or another version of ours, makes another commit of it.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: what a host says of most is nothing
export type PerformResult = 'same' | 'other' | void

export interface PromotionStrategy {
  /** Of the Secret whose credentials it has; absent: it needs none. */
  readonly secretVersion?: string | undefined
  /** When what was looked at was seen, together with others, and in how many milliseconds it is again; absent: only for this. */
  readonly glanced?: { readonly atMs: number; readonly againMs: number } | undefined
  /** What it would change is made ready, and nothing is changed. `previous`: the commit on the branch that it takes the place of. */
  prepare(previous: string | undefined, o: CallOptions): ProviderResult<PreparedChange>
  /** What is there now, and what follows from it. */
  look(around: StrategyContext, o: CallOptions): ProviderResult<PromotionStep>
  /** One thing that is done. What it gives back is not believed beyond that it is done: the next look says how it is. */
  perform(effect: PromotionEffect, o: CallOptions): ProviderResult<PerformResult>
  /** Of what nobody can look at once it is done: what follows. */
  after?(effect: PromotionEffect): PromotionStep | undefined
}
