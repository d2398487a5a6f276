/** Strategy pull-request: what follows from what is found at the host. */
import type { BlockerReason } from '../../../api/reasons/index.ts'
import { MERGE_WAIT_MS } from '../failurecategory.ts'
import {
  type NewerPromotion,
  POLL_MS,
  type PromotionHold,
  type PromotionState,
  type PromotionStep,
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
          message: `${at} is closed: ${newer.revision} follows in Promotion ${newer.name}`,
        }
      return {
        type: 'Phase',
        to: 'Rejected',
        reason: 'PullRequestClosed',
        result,
        message: `${at} was ${onto === undefined ? 'closed' : `led onto ${onto}`} without being merged; another try is another request: lockstep promote`,
      }
    }
    case 'Reverted':
      return failed(
        'RevertedInGit',
        `${promotion.id.revision} was at the base, and was taken back there; it is not done again`,
      )
    case 'Replaced':
      return {
        type: 'Phase',
        to: 'Superseded',
        reason: 'NewerRevision',
        message: `${found.by} of a later epoch is at the base`,
      }
    case 'KeyReused':
      return {
        type: 'Phase',
        to: 'Aborted',
        reason: 'KeyReused',
        message: `pull request #${found.pull.number} of this very promotion was merged before: the next epoch follows`,
      }
    case 'BranchConflict':
      return failed(
        'BranchConflict',
        `branch ${intent.branch} is there, and nothing on it is of this promotion; delete it, and ask again: lockstep promote`,
      )
    case 'BranchModified':
      return waitFor(
        promotion,
        'BranchModified',
        `branch ${intent.branch} has ${count(found.foreign)} of others, and no pull request; open one, or delete the branch`,
        input.nowMs + POLL_MS,
      )
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
      message: `no pull request was open: ${newer.revision} follows in Promotion ${newer.name}`,
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
      message: `pull request #${pull.number} goes on with ${newer.revision}: Promotion ${newer.name}`,
      result: { pullRequest: stored(pull), transferredTo: newer.name },
    }
  if (!isOurs && intent.previous !== undefined && pull.headCommit === intent.previous)
    return effect({ type: 'MoveBranch', from: intent.previous })
  if (repair) return effect({ type: 'RepairPull', number: pull.number })
  if (phase !== 'Open' || !isKnown) return record
  if (!isOurs)
    return waitFor(
      promotion,
      'BranchModified',
      `the branch of pull request #${pull.number} has ${foreignText(input.foreign)}; merge or close it: ${pull.url}`,
      nowMs + POLL_MS,
    )
  return toMerge(input, pull)
}

function toMerge(input: PullRequestInput, pull: PullRequestObservation): PromotionStep {
  const { promotion, nowMs, mergeable, held } = input
  const { autoMerge = false, onConflict = 'Rebuild' } = promotion.settings.pullRequest ?? {}
  const intent = promotion.status.intent ?? {}
  const at = `pull request #${pull.number}: ${pull.url}`
  const wait = (reason: BlockerReason, why: string, ms = POLL_MS): PromotionStep =>
    waitFor(promotion, reason, `${why}: ${at}`, nowMs + ms)
  if (intent.adopts !== undefined)
    return mergeable === 'Conflict'
      ? wait(
          'MergeBlocked',
          `it cannot be merged as it is, and its branch is not ours; close it, and ask again: lockstep promote`,
        )
      : wait('AwaitingMerge', 'it was there already, and what others have made is merged by people')
  if (mergeable === 'Conflict' || input.isRewritten) {
    if (onConflict === 'Rebuild' && intent.base !== input.baseHead && mayRebuild(promotion))
      return { type: 'Rebuild', previous: intent.commit }
    const why = input.isRewritten ? 'it would bring back what was taken out of its base' : NO_MERGE
    return wait('MergeBlocked', why)
  }
  if (!autoMerge) return wait('AwaitingMerge', 'somebody has to merge it')
  if (held) return wait('MergeBlocked', held.text)
  if (mergeable !== 'Yes')
    return wait('MergeBlocked', 'the host does not let it be merged yet', MERGE_WAIT_MS)
  return { type: 'Effect', effect: { type: 'Merge', number: pull.number } }
}

const NO_MERGE = 'it cannot be merged as it is'

/** A base that moves each time is somebody's fight. */
const MOST_REBUILDS = 20
const mayRebuild = ({ status }: PromotionState): boolean => (status.rebuilt ?? 0) < MOST_REBUILDS

const stored = ({ number, url, state }: PullRequestObservation) => ({ number, url, state })

const commitOf = (commit: string | undefined) => (commit === undefined ? {} : { commit })

/** Somebody may have changed ours in place; so may other `edits`, since it was made. */
const foreignText = (n: number | undefined): string =>
  n === 0 ? 'our commit with other content' : `${n === undefined ? 'commits' : count(n)} of others`

const count = (n: number): string => (n === 1 ? 'a commit' : `${n} commits`)

const failed = (reason: BlockerReason, message: string): PromotionStep => ({
  type: 'Phase',
  to: 'Failed',
  reason,
  message,
})
