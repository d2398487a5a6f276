/** The branch of a promotion, as decisions see it: how much of it is ours. */
import type { BranchSeen } from '../../core/promotion/lookup.ts'
import { trailersOf } from '../../core/promotion/marks.ts'
import type { PromotionView } from '../../core/promotion/state.ts'
import { ok } from '../../env/result.ts'
import type { CallOptions } from '../../promote/githost.ts'
import type { CommitId, Repository } from '../../promote/repository.ts'
import type { Out } from './work.ts'

/** Commits that are looked through for what is ours. */
export const HISTORY = 1000

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
