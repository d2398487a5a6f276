/** Strategy pull-request: what follows from what is found at the host. */
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { FactsOf } from '../../../api/reasons/index.ts'
import { MERGE_WAIT_MS } from '../failurecategory.ts'
import { externalRef } from '../promotionref.ts'
import {
  failedStep,
  type NewerPromotion,
  POLL_MS,
  type PromotionHold,
  type PromotionState,
  type PromotionStep,
  revertedFacts,
  waitFor,
} from '../promotionstate.ts'
import type { PullRequestLookup, PullRequestObservation } from './pullrequestlookup.ts'

export interface PullRequestInput {
  readonly promotion: PromotionState
  readonly newer: NewerPromotion | undefined
  readonly found: PullRequestLookup
  /** At the base now. */
  readonly baseHead: string
  /** Of the pull request that is open; undefined: not asked. */
  readonly mergeable: 'Yes' | 'Conflict' | 'Unknown' | undefined
  /** Commits of others on the branch of the pull request that is open; undefined: not asked. */
  readonly foreign?: number | undefined
  /** What it was made on is not in the base any more; a merge would bring it back. Undefined: not asked. */
  readonly isRewritten?: boolean | undefined
  /** What keeps us from merging. People may. */
  readonly held: PromotionHold | undefined
  /** Somebody else's pull request is open that does the same: ours is not opened beside it. */
  readonly isForestalled: boolean
  /** The newer one waits for nothing but this one. */
  readonly mayTransfer: boolean
  readonly nowMs: number
}

export function pullRequestStep(input: PullRequestInput): PromotionStep {
  const { promotion, newer, found } = input
  const intent = promotion.status.intent ?? {}
  switch (found.type) {
    case 'Merged':
      return {
        type: 'Phase',
        to: 'Converging',
        result: { pullRequest: stored(found.pull), ...commitOf(found.pull.mergeCommit) },
      }
    case 'Present':
      return {
        type: 'Phase',
        to: 'Converging',
        result: found.ours ? {} : { alreadyAtRevision: true },
      }
    case 'Rejected': {
      const result = { pullRequest: stored(found.pull) }
      const { number, onto } = found.pull
      const at = `pull request #${number}`
      if (newer)
        return {
          type: 'Phase',
          to: 'Superseded',
          reason: 'NewerRevision',
          result,
          message: `${at} is closed: superseded by ${newer.revision}, Promotion ${newer.name}`,
        }
      return {
        type: 'Phase',
        to: 'Rejected',
        reason: 'PullRequestClosed',
        result,
        message: `${at} was ${onto === undefined ? 'closed without a merge' : `moved to base ${onto}`}; to promote again: lockstep promote`,
      }
    }
    case 'Reverted':
      return failedStep(blocked('RevertedInGit', [], { because: 'Base', ...revertedFacts(promotion) }))
    case 'Replaced':
      return {
        type: 'Phase',
        to: 'Superseded',
        reason: 'NewerRevision',
        message: `base branch is at ${found.by} of a later epoch`,
      }
    case 'KeyReused':
      return {
        type: 'Phase',
        to: 'Aborted',
        reason: 'KeyReused',
        message: `pull request #${found.pull.number} of the same key was merged before: the next epoch follows`,
      }
    case 'BranchConflict':
      return failedStep(
        blocked('BranchConflict', [externalRef(repositoryOf(promotion))], { branch: intent.branch ?? '' }),
      )
    case 'BranchModified': {
      const facts = { because: 'NoPullRequest', branch: intent.branch, commits: found.foreign } as const
      return waitFor(
        [blocked('BranchModified', [externalRef(repositoryOf(promotion))], facts)],
        input.nowMs + POLL_MS,
      )
    }
    case 'Lost':
      return { type: 'Rebuild', previous: undefined }
    case 'Nothing':
      return whileNothing(input, found)
    case 'Open':
      return whileOpen(input, found)
  }
}

function whileNothing(
  { promotion, newer, isForestalled, baseHead }: PullRequestInput,
  { isPushed, isRewritten, head }: Extract<PullRequestLookup, { readonly type: 'Nothing' }>,
): PromotionStep {
  const intent = promotion.status.intent ?? {}
  if (newer)
    return {
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `no pull request was open: superseded by ${newer.revision}, Promotion ${newer.name}`,
    }
  // What another object has made cannot be made again: it has other dates.
  const isOther = isForestalled || intent.found === true || intent.base !== baseHead
  if (!isPushed && (isOther || isRewritten)) return { type: 'Rebuild', previous: undefined }
  if (isRewritten && mayRebuild(promotion)) return { type: 'Rebuild', previous: head }
  if (promotion.phase !== 'Applying') return { type: 'Phase', to: 'Applying' }
  if (head !== undefined && head !== intent.commit && head === intent.previous)
    return { type: 'Effect', effect: { type: 'MoveBranch', from: head } }
  return { type: 'Effect', effect: { type: isPushed ? 'OpenPull' : 'Push' } }
}

function whileOpen(
  input: PullRequestInput,
  { pull, repair, duplicates }: Extract<PullRequestLookup, { readonly type: 'Open' }>,
): PromotionStep {
  const { promotion, newer, nowMs } = input
  const { settings, status, phase } = promotion
  const intent = status.intent ?? {}
  const effect = (e: Extract<PromotionStep, { type: 'Effect' }>['effect']): PromotionStep =>
    phase === 'Applying' || phase === 'Open'
      ? { type: 'Effect', effect: e }
      : { type: 'Phase', to: 'Applying' }
  const recorded = status.result?.pullRequest
  const isKnown = recorded?.number === pull.number
  const record: PromotionStep = { type: 'Phase', to: 'Open', result: { pullRequest: stored(pull) } }
  const [duplicate] = duplicates
  // What is closed as a duplicate is not to be taken for what people have closed.
  if (duplicate !== undefined && recorded?.number === duplicate) return record
  if (duplicate !== undefined)
    return effect({ type: 'ClosePull', number: duplicate, comment: `Duplicate of #${pull.number}` })
  // The branch of others is never moved.
  if (newer && (settings.onNewer === 'Close' || intent.adopts !== undefined))
    return effect({ type: 'ClosePull', number: pull.number, comment: `Superseded by ${newer.revision}` })
  const isOurs = pull.headCommit === undefined || pull.headCommit === intent.commit
  // The newer one moves the branch, and says in the body whose it is from then on; until it can, this one goes on.
  if (newer && input.mayTransfer && (isOurs || pull.headCommit === intent.previous))
    return {
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `pull request #${pull.number} continues with ${newer.revision}, Promotion ${newer.name}`,
      result: { pullRequest: stored(pull), transferredTo: newer.name },
    }
  if (!isOurs && intent.previous !== undefined && pull.headCommit === intent.previous)
    return effect({ type: 'MoveBranch', from: intent.previous })
  if (repair) return effect({ type: 'RepairPull', number: pull.number })
  if (phase !== 'Open' || !isKnown) return record
  if (!isOurs) return waitFor([modified(pull, input.foreign)], nowMs + POLL_MS)
  return toMerge(input, pull)
}

/** Commits on its branch are not of this promotion; 0: its content was changed in place. */
const modified = ({ number, url }: PullRequestObservation, commits: number | undefined): NewBlocker =>
  blocked(
    'BranchModified',
    [externalRef(url)],
    commits === 0 ? { because: 'Rewritten', number } : { because: 'ExternalCommits', number, commits },
  )

function toMerge(input: PullRequestInput, { number, url }: PullRequestObservation): PromotionStep {
  const { promotion, nowMs, mergeable, held } = input
  const { autoMerge = false, onConflict = 'Rebuild' } = promotion.settings.pullRequest ?? {}
  const intent = promotion.status.intent ?? {}
  const on = [externalRef(url)] as const
  const wait = (blockers: readonly NewBlocker[], ms = POLL_MS) => waitFor(blockers, nowMs + ms)
  const awaiting = (because: FactsOf<'AwaitingMerge'>['because']) =>
    wait([blocked('AwaitingMerge', on, { number, because })])
  const shut = (because: FactsOf<'MergeBlocked'>['because'], ms?: number) =>
    wait([blocked('MergeBlocked', on, { number, because })], ms)
  if (intent.adopts !== undefined)
    return mergeable === 'Conflict' ? shut('ExternalConflict') : awaiting('External')
  if (mergeable === 'Conflict' || input.isRewritten) {
    if (onConflict === 'Rebuild' && intent.base !== input.baseHead && mayRebuild(promotion))
      return { type: 'Rebuild', previous: intent.commit }
    return shut(input.isRewritten ? 'BaseRewritten' : 'Conflict')
  }
  if (!autoMerge) return awaiting('Manual')
  if (held) {
    const cause = held.blocker.reason
    return wait([blocked('MergeBlocked', on, { number, because: 'Held', cause }), held.blocker])
  }
  if (mergeable !== 'Yes') return shut('NotMergeable', MERGE_WAIT_MS)
  return { type: 'Effect', effect: { type: 'Merge', number } }
}

/** A base that moves each time is somebody's fight. */
const MOST_REBUILDS = 20
const mayRebuild = ({ status }: PromotionState): boolean => (status.rebuilt ?? 0) < MOST_REBUILDS

const stored = ({ number, url, state }: PullRequestObservation) => ({ number, url, state })

const commitOf = (commit: string | undefined) => (commit === undefined ? {} : { commit })

/** Where its branch is. */
const repositoryOf = ({ settings }: PromotionState): string => settings.pullRequest?.url ?? ''
