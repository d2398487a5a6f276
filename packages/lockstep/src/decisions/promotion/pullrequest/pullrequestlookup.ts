/**
 * What is found at a Git host and in its repository before anything is done there: the same on the first try and after any
 * crash. It decides what becomes of a promotion by pull request or push, and nothing else does.
 */
import type { PromotionKey } from '../promotionkey.ts'

/**
 * What has been opened may be missing in lists for so long, in milliseconds. No host documents a limit; 10 s have been seen of
 * hosts that read from replicas.
 */
export const LISTS_BEHIND_MS = 15_000

/** A pull request with the branch of this promotion as its head, and its base. */
export interface PullRequestObservation {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'merged' | 'closed'
  /** In its body; undefined: none. */
  readonly key: PromotionKey | undefined
  readonly headCommit: string | undefined
  readonly mergeCommit: string | undefined
  /** Merged before this promotion was created. */
  readonly isOlder: boolean
  /** Another branch than the base of this promotion, onto which somebody has led it: for this one it is closed. */
  readonly onto?: string | undefined
}

/** The branch of this promotion; undefined: there is none. */
export interface BranchObservation {
  readonly head: string
  /** Commits on it that are not ours, on top of ours. */
  readonly foreign: number
  /** Ours is in it. */
  readonly hasOurs: boolean
}

export interface BaseObservation {
  readonly head: string
  /** Every place has the revision's value. */
  readonly hasValue: boolean
  /** Our trailer is in a commit that the base has got since the intent was made. */
  readonly hasTrailer: boolean
  /** What the intent was made on is not in its history any more. */
  readonly isRewritten: boolean
  /** The revision of a later epoch that has got there since; undefined: none has. */
  readonly replacedBy: string | undefined
}

export interface PullRequestLookupInput {
  readonly key: PromotionKey
  /** Of a promotion whose pull request this one goes on with: its key, and the commit that its branch was at. */
  readonly inherited: { readonly key: PromotionKey; readonly commit: string | undefined } | undefined
  /** The number of a pull request that somebody else has opened for the same, and that this one goes on with. */
  readonly adopts: number | undefined
  readonly intent: { readonly commit: string; readonly base: string }
  /** The number that this promotion has seen open itself; undefined: none. */
  readonly recorded: number | undefined
  readonly pulls: readonly PullRequestObservation[]
  readonly branch: BranchObservation | undefined
  readonly base: BaseObservation
}

export type PullRequestLookup =
  | {
      readonly type: 'Open'
      readonly pull: PullRequestObservation
      readonly repair: boolean
      readonly duplicates: readonly number[]
    }
  | { readonly type: 'Merged'; readonly pull: PullRequestObservation; readonly duplicates: readonly number[] }
  | {
      readonly type: 'Rejected'
      readonly pull: PullRequestObservation
      readonly duplicates: readonly number[]
    }
  /** The value is there; `ours`: by our own commit. */
  | { readonly type: 'Present'; readonly ours: boolean }
  | { readonly type: 'Reverted' }
  /** A later epoch is there: what was to be done was done, and is past, or is not to be done any more. */
  | { readonly type: 'Replaced'; readonly by: string }
  | { readonly type: 'BranchModified'; readonly foreign: number }
  | { readonly type: 'BranchConflict' }
  /** A pull request of this very name was merged before this promotion was there: the epoch was used already. */
  | { readonly type: 'KeyReused'; readonly pull: PullRequestObservation }
  /** What it was to go on with has ended, or is others' by now: it goes its own way. */
  | { readonly type: 'Lost' }
  /** Nothing is at the host but, perhaps, our branch, at `head`. */
  | {
      readonly type: 'Nothing'
      readonly isPushed: boolean
      readonly isRewritten: boolean
      readonly head?: string
    }

const RANK = { merged: 0, open: 1, closed: 2 } as const

/** Rules 1 to 5 of a lookup, for the strategy that opens pull requests. */
export function lookUpPullRequest(input: PullRequestLookupInput): PullRequestLookup {
  const { key, inherited, adopts, branch, base } = input
  const ours = input.pulls
    .filter((p) => isOurs(p, input))
    .sort((a, b) => RANK[a.state] - RANK[b.state] || a.number - b.number)
  const [pull] = ours
  const duplicates = ours.filter((p) => p !== pull && p.state === 'open').map((p) => p.number)
  if (pull?.state === 'merged') {
    if (base.hasValue) return { type: 'Merged', pull, duplicates }
    if (base.replacedBy !== undefined) return { type: 'Replaced', by: base.replacedBy }
    const isReused = pull.isOlder && !inherited && adopts === undefined
    return isReused ? { type: 'KeyReused', pull } : { type: 'Reverted' }
  }
  // People have closed it: what a late request has opened since changes nothing about that.
  const closed = ours.find((p) => p.number === input.recorded && p.state === 'closed')
  if (closed && pull?.state === 'open' && pull.key === key)
    return { type: 'Rejected', pull: closed, duplicates: [pull.number] }
  if (pull?.state === 'open') {
    if (branch && branch.foreign > 0 && !branch.hasOurs) return { type: 'BranchConflict' }
    // What others have opened keeps their words.
    return { type: 'Open', pull, repair: adopts === undefined && pull.key !== key, duplicates }
  }
  if (pull) return { type: 'Rejected', pull, duplicates }
  if (inherited || adopts !== undefined) return ofBase(base) ?? { type: 'Lost' }
  return ofBase(base) ?? ofBranch(branch, base)
}

/**
 * A body with another key is another promotion's; without one it is ours, and somebody has edited it. What is inherited is ours
 * where it is at our commit, or open at the one that ours takes the place of: what ended before was the other promotion's.
 */
function isOurs(
  p: PullRequestObservation,
  { key, inherited, adopts, intent }: PullRequestLookupInput,
): boolean {
  // Its branch has had others before, and may have others after it.
  if (adopts !== undefined) return p.number === adopts
  if (p.key === key) return true
  if (!inherited) return p.key === undefined
  // Whatever somebody has written into its body.
  if (p.headCommit === intent.commit) return true
  if (p.key !== undefined && p.key !== inherited.key) return false
  return p.state === 'open' && p.headCommit === inherited.commit
}

/** Rules 2 and 3, which are all that a push has. */
export const ofBase = (base: BaseObservation): PullRequestLookup | undefined => {
  if (base.hasValue) return { type: 'Present', ours: base.hasTrailer }
  if (base.replacedBy !== undefined) return { type: 'Replaced', by: base.replacedBy }
  return base.hasTrailer ? { type: 'Reverted' } : undefined
}

/** Rule 4. */
function ofBranch(branch: BranchObservation | undefined, base: BaseObservation): PullRequestLookup {
  const { isRewritten } = base
  if (!branch) return { type: 'Nothing', isPushed: false, isRewritten }
  if (!branch.hasOurs) return { type: 'BranchConflict' }
  if (branch.foreign > 0) return { type: 'BranchModified', foreign: branch.foreign }
  return { type: 'Nothing', isPushed: true, isRewritten, head: branch.head }
}
