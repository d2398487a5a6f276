/** What is left behind at a host after a promotion: pull requests that were opened twice, its branch. */
import type { PromotionPhase } from '../../../api/kinds/index.ts'
import { isEnded, type PromotionEffect } from '../promotionstate.ts'
import type { PullRequestObservation } from './pullrequestlookup.ts'

export interface SweepInput {
  readonly phase: PromotionPhase
  readonly key: string
  /** Of the pull request that is recorded. */
  readonly number: number | undefined
  readonly pulls: readonly PullRequestObservation[]
  /** At the head of its branch; undefined: there is none. */
  readonly branch: string | undefined
  /** Ours. */
  readonly commit: string | undefined
  /** The key of the promotion whose pull request it was to go on with. */
  readonly inherits: string | undefined
  /** The commit that ours was to take the place of, and may not have: of that promotion, or our own on the base before. */
  readonly previous: string | undefined
  /** Somebody has a pull request of its branch onto another one, which a host closes with the branch. */
  readonly isShared: boolean
  /** The revision of a later promotion that has begun. */
  readonly follower: string | undefined
  readonly deleteBranch: boolean
  /** Its pull request is one that others have opened. */
  readonly isAdopted: boolean
  /** Whoever opened it again was told. */
  readonly told: boolean
  /** Another promotion goes on with its pull request, or was to, and does not. */
  readonly transfer: 'None' | 'Taken' | 'Left'
}

/** `Tell`: a comment for whoever has opened again what has ended. */
export type SweepStep = PromotionEffect | { readonly type: 'Tell'; readonly number: number }

const ENDED = 'This promotion has ended'

/** The base has what it brings, whoever has brought it there. */
export const isInBase = (phase: PromotionPhase): boolean =>
  phase === 'Converging' || phase === 'Verifying' || phase === 'Succeeded'

/** The next thing to be done; undefined: nothing is left. */
export function sweep({
  phase,
  key,
  number,
  pulls,
  branch,
  commit,
  inherits,
  previous,
  isShared,
  follower,
  deleteBranch,
  isAdopted,
  told,
  transfer,
}: SweepInput): SweepStep | undefined {
  if (transfer === 'Taken') return undefined
  const isAt = (p: PullRequestObservation, at: string | undefined) => at !== undefined && p.headCommit === at
  const isAtOurs = (p: PullRequestObservation) => isAt(p, commit) || isAt(p, previous)
  const open = pulls.filter((p) => p.state === 'open')
  const left = open.find((p) => inherits !== undefined && p.key === inherits)
  // It was to go on with it, and has ended before it did.
  if (left && isEnded(phase) && isAtOurs(left))
    return { type: 'ClosePull', number: left.number, comment: ENDED }
  const ours = open.filter((p) => p.key === undefined || p.key === key)
  const stray = ours.find((p) => p.number !== number)
  if (stray) {
    const comment = number === undefined ? ENDED : `Duplicate of #${number}`
    return { type: 'ClosePull', number: stray.number, comment }
  }
  const [reopened] = ours
  // With commits of others it is theirs.
  if (reopened && transfer === 'Left' && isAtOurs(reopened))
    return { type: 'ClosePull', number: reopened.number, comment: ENDED }
  // Somebody else has brought it to the base.
  if (reopened && isInBase(phase) && isAtOurs(reopened))
    return { type: 'ClosePull', number: reopened.number, comment: 'The base has this revision already' }
  if (reopened && phase === 'Failed' && follower !== undefined && isAtOurs(reopened))
    return { type: 'ClosePull', number: reopened.number, comment: `Superseded by ${follower}` }
  // People may have their reasons: it is theirs from then on.
  if (reopened) return phase === 'Rejected' && !told ? { type: 'Tell', number: reopened.number } : undefined
  // What others have put on a branch of theirs is lost with it, unless it is merged.
  const isKept = isAdopted && !pulls.some((p) => p.state === 'merged')
  const isDone = phase !== 'Failed' && phase !== 'Aborted' && !isKept
  const isOurs = branch === commit || (inherits === undefined && branch === previous)
  if (deleteBranch && isDone && !isShared && branch !== undefined && isOurs)
    return { type: 'RemoveBranch', expect: branch }
  return undefined
}
