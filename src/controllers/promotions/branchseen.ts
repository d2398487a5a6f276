/** The branch of a promotion, and its base, as decisions see them: how much of them is ours. */
import type { BaseSeen, BranchSeen } from '../../core/promotion/lookup.ts'
import { trailersOf } from '../../core/promotion/marks.ts'
import type { PromotionView } from '../../core/promotion/state.ts'
import { ok } from '../../env/result.ts'
import type { CallOptions } from '../../promote/githost.ts'
import type { CommitId, Repository } from '../../promote/repository.ts'
import type { Out } from './work.ts'

/** Commits that are looked through for what is ours. */
const HISTORY = 1000

export async function branchSeen(
  repository: Repository,
  { status, key }: PromotionView,
  { head, base }: { readonly head: CommitId; readonly base: CommitId },
  o: CallOptions,
): Out<BranchSeen> {
  if (head === status.intent?.commit) return ok({ head, foreign: 0, hasOurs: true })
  const commits = await repository.history(head, base, HISTORY, o)
  if (!commits.ok) return commits
  const ours = commits.value.findIndex((c) => trailersOf(c.message)?.key === key)
  return ok({ head, foreign: ours < 0 ? commits.value.length : ours, hasOurs: ours >= 0 })
}

/** What its base has got since the intent was made. */
export async function baseSeen(
  repository: Repository,
  { status, key }: PromotionView,
  { head, hasValue }: Pick<BaseSeen, 'head' | 'hasValue'>,
  o: CallOptions,
): Out<BaseSeen> {
  const { base } = status.intent ?? {}
  if (base === undefined || base === head)
    return ok({ head, hasValue, hasTrailer: false, isRewritten: false })
  const news = await repository.history(head, base, HISTORY, o)
  if (!news.ok) return news
  const hasTrailer = news.value.some((c) => trailersOf(c.message)?.key === key)
  const lost = await repository.history(base, head, 1, o)
  const isRewritten = lost.ok ? lost.value.length > 0 : lost.error.kind === 'NotFound'
  return lost.ok || isRewritten ? ok({ head, hasValue, hasTrailer, isRewritten }) : lost
}
