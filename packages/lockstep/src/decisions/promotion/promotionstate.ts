/** A promotion as decisions see it, and what one of them says is to be done next. */
import type { NewBlocker } from '../../api/blocker.ts'
import type {
  PromotionIntent,
  PromotionPhase,
  PromotionResult,
  PromotionSettings,
  PromotionStatus,
} from '../../api/kinds/index.ts'
import type { BlockerReason } from '../../api/reasons/index.ts'
import type { PromotionId, PromotionKey } from './promotionkey.ts'

export interface PromotionState {
  readonly name: string
  readonly namespace: string
  readonly id: PromotionId
  readonly key: PromotionKey
  readonly settings: PromotionSettings
  readonly isRollback: boolean
  readonly status: PromotionStatus
  readonly phase: PromotionPhase
}

/** A later epoch of the same environment. */
export interface NewerPromotion {
  readonly name: string
  readonly revision: string
}

/** One thing that is done outside; the world is looked at before and after it. */
export type PromotionEffect =
  | { readonly type: 'Push' }
  /** The branch goes from a commit of ours to another one. */
  | { readonly type: 'MoveBranch'; readonly from: string }
  | { readonly type: 'OpenPull' }
  /** Its title and the key in its body. */
  | { readonly type: 'RepairPull'; readonly number: number }
  | { readonly type: 'ClosePull'; readonly number: number; readonly comment: string }
  | { readonly type: 'Merge'; readonly number: number }
  | { readonly type: 'RemoveBranch'; readonly expect: string }
  | { readonly type: 'ApplyModules' }
  | { readonly type: 'Notify' }

/** What cannot be taken back by closing something: others see it at once. */
export const changesDestination = ({ type }: PromotionEffect, { settings }: PromotionState): boolean =>
  type === 'Merge' ||
  type === 'ApplyModules' ||
  type === 'Notify' ||
  (type === 'Push' && settings.strategy === 'push')

export type PromotionStep =
  /** Stored before anything else is done. */
  | {
      readonly type: 'Phase'
      readonly to: PromotionPhase
      readonly reason?: BlockerReason | EndReason
      readonly message?: string
      readonly intent?: PromotionIntent
      readonly result?: PromotionResult
    }
  | { readonly type: 'Wait'; readonly blockers: readonly NewBlocker[]; readonly untilMs?: number | undefined }
  /** What it would change is made ready: a commit, Modules, an event. */
  | { readonly type: 'Prepare' }
  /** The same change on what is at the base now. `previous`: the commit on the branch, if it is there; `isBegun`: some of it is done. */
  | { readonly type: 'Rebuild'; readonly previous: string | undefined; readonly isBegun?: boolean }
  | { readonly type: 'Look' }
  | { readonly type: 'Effect'; readonly effect: PromotionEffect }

/** Why a promotion has ended, where no blocker has a word for it. */
export type EndReason =
  | 'Promoted'
  | 'AlreadyAtRevision'
  | 'PullRequestClosed'
  | 'NewerRevision'
  | 'KeyReused'
  | 'Deleted'

/** How often what waits for people is looked at, in milliseconds. */
export const POLL_MS = 60_000

export const TERMINAL: ReadonlySet<PromotionPhase> = new Set([
  'Succeeded',
  'Rejected',
  'Superseded',
  'Failed',
  'Aborted',
])

export const isEnded = (phase: PromotionPhase | undefined): boolean =>
  phase !== undefined && TERMINAL.has(phase)

/** What keeps us from changing a destination, also once that was to be: a Hold, a window, targets that nobody can read. */
export interface PromotionHold {
  readonly blocker: NewBlocker
  /** Wall clock, milliseconds; undefined: until somebody says so. */
  readonly untilMs: number | undefined
}

/** Nothing of it is done yet, and it is looked at again: others may do it meanwhile. */
export const whileHeld = ({ blocker, untilMs }: PromotionHold, nowMs: number): PromotionStep => ({
  type: 'Wait',
  blockers: [blocker],
  untilMs: Math.min(nowMs + POLL_MS, untilMs ?? Number.POSITIVE_INFINITY),
})

export const waitFor = (blockers: readonly NewBlocker[], untilMs?: number): PromotionStep => ({
  type: 'Wait',
  blockers,
  ...(untilMs === undefined ? {} : { untilMs }),
})

/** The end of a promotion for a reason of the reason table. */
export const failedStep = ({ reason, message }: NewBlocker): PromotionStep => ({
  type: 'Phase',
  to: 'Failed',
  reason,
  message,
})

/** Revision and environment, of reason RevertedInGit. */
export const revertedFacts = ({ id: { revision, environment } }: PromotionState) => ({
  revision,
  environment,
})
