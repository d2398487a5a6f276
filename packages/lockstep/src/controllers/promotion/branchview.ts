/** The branch of a promotion, and its base, as decisions see them: how much of them is ours. */

import { ok } from '@lockstep/kube/env'
import {
  type BaseObservation,
  type BranchObservation,
  keyOfPromotion,
  type PromotionState,
  type Trailers,
  trailersOf,
} from '../../decisions/promotion/index.ts'
import type { CallOptions } from '../../gitproviders/gitprovider.ts'
import type { CommitId, GitRepository } from '../../gitproviders/gitrepository.ts'
import type { ProviderResult } from './strategies/strategy.ts'

/** Commits that are looked through for what is ours. */
const HISTORY = 1000

export async function branchView(
  repository: GitRepository,
  { status, key }: PromotionState,
  { head, base }: { readonly head: CommitId; readonly base: CommitId },
  o: CallOptions,
): ProviderResult<BranchObservation> {
  if (head === status.intent?.commit) return ok({ head, foreign: 0, hasOurs: true })
  const commits = await repository.history(head, base, HISTORY, o)
  if (!commits.ok) return commits
  const ours = commits.value.findIndex((c) => trailersOf(c.message)?.key === key)
  return ok({ head, foreign: ours < 0 ? commits.value.length : ours, hasOurs: ours >= 0 })
}

/** What its base has got since the intent was made. */
export async function baseView(
  repository: GitRepository,
  { status, key, id }: PromotionState,
  { head, hasValue }: Pick<BaseObservation, 'head' | 'hasValue'>,
  o: CallOptions,
): ProviderResult<BaseObservation> {
  const { base } = status.intent ?? {}
  const same = { head, hasValue, hasTrailer: false, isRewritten: false, replacedBy: undefined }
  if (base === undefined || base === head) return ok(same)
  const news = await repository.history(head, base, HISTORY, o)
  if (!news.ok) return news
  const marks = news.value.flatMap((c) => trailersOf(c.message) ?? [])
  const hasTrailer = marks.some((t) => t.key === key)
  // Who it is of is in the key alone.
  const isLater = ({ epoch, revision, key: of }: Trailers): boolean =>
    epoch > id.epoch && of === keyOfPromotion({ ...id, epoch, revision })
  const replacedBy = marks.find(isLater)?.revision
  const isThere = await isCommitInHistory(repository, base, head, o)
  return isThere.ok ? ok({ head, hasValue, hasTrailer, isRewritten: !isThere.value, replacedBy }) : isThere
}

/** Whether a commit is in the history of another one: what is not there at all is not. */
export async function isCommitInHistory(
  repository: GitRepository,
  commit: CommitId,
  head: CommitId,
  o: CallOptions,
): ProviderResult<boolean> {
  const lost = await repository.history(commit, head, 1, o)
  if (lost.ok) return ok(lost.value.length === 0)
  return lost.error.kind === 'NotFound' ? ok(false) : lost
}
