/** What is left behind at a host after a promotion: pull requests that were opened twice, its branch. */
import type { Phase } from '../../api/kinds/promotion.ts'
import type { PullSeen } from './lookup.ts'
import type { Effect } from './state.ts'

export interface SweepInput {
  readonly phase: Phase
  readonly key: string
  /** Of the pull request that is recorded. */
  readonly number: number | undefined
  readonly pulls: readonly PullSeen[]
  /** At the head of its branch; undefined: there is none. */
  readonly branch: string | undefined
  /** Ours. */
  readonly commit: string | undefined
  readonly deleteBranch: boolean
  /** Its pull request is one that others have opened. */
  readonly isAdopted: boolean
  /** Whoever opened it again was told. */
  readonly told: boolean
  /** Another promotion goes on with its pull request, or was to, and does not. */
  readonly transfer: 'None' | 'Taken' | 'Left'
}

/** `Tell`: a comment for whoever has opened again what has ended. */
export type Swept = Effect | { readonly type: 'Tell'; readonly number: number }

/** The next thing to be done; undefined: nothing is left. */
export function sweep({
  phase,
  key,
  number,
  pulls,
  branch,
  commit,
  deleteBranch,
  isAdopted,
  told,
  transfer,
}: SweepInput): Swept | undefined {
  if (transfer === 'Taken') return undefined
  const ours = pulls.filter((p) => p.state === 'open' && (p.key === undefined || p.key === key))
  const stray = ours.find((p) => p.number !== number)
  if (stray) {
    const comment = number === undefined ? 'This promotion has ended' : `Duplicate of #${number}`
    return { type: 'ClosePull', number: stray.number, comment }
  }
  const [reopened] = ours
  // With commits of others it is theirs.
  if (reopened && transfer === 'Left' && reopened.headCommit === commit)
    return { type: 'ClosePull', number: reopened.number, comment: 'This promotion has ended' }
  // People may have their reasons: it is theirs from then on.
  if (reopened) return phase === 'Rejected' && !told ? { type: 'Tell', number: reopened.number } : undefined
  // What others have put on a branch of theirs is lost with it, unless it is merged.
  const isKept = isAdopted && !pulls.some((p) => p.state === 'merged')
  const isDone = phase !== 'Failed' && phase !== 'Aborted' && !isKept
  if (deleteBranch && isDone && branch !== undefined && branch === commit)
    return { type: 'RemoveBranch', expect: branch }
  return undefined
}
