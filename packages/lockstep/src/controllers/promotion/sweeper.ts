/** After a promotion: what a lost answer has left behind at its host is looked for, for a while, and put away. */
import { parseTimestampMs, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Promotion } from '../../api/kinds/index.ts'
import {
  isEnded,
  isInBase,
  listDelayUntilMs,
  type PromotionState,
  sweep,
} from '../../decisions/promotion/index.ts'
import { laterPromotions } from '../cache/index.ts'
import { hubTime, requeueAfter } from '../runtime/index.ts'
import { type ActionLease, grantAction, performCounted } from './lease/actionlease.ts'
import { withSharedTimeout } from './lease/sharedtimeout.ts'
import type { PromotionDeps } from './promotiondeps.ts'
import { SWEEP_MS, updatePromotionStore } from './promotionstore.ts'
import { pullRequestTransferOf } from './pullrequesttransfer.ts'
import type { GitStrategy } from './strategies/gitstrategy.ts'

const EVERY_MS = 60_000
const MOST = 10

/** Milliseconds that it is still swept; 0: it is over. */
export const sweepRemainingMs = ({ status }: Stored<Promotion>, nowMs: number): number =>
  Math.max(0, (parseTimestampMs(status?.sweepUntil ?? '') ?? 0) - nowMs)

/**
 * Until when it is swept beyond what its end says: as long as it is open whether another one goes on with its pull request, and
 * anew when something follows one that has failed with its own open. Undefined: as it is.
 */
export function extendedSweepUntil(
  c: PromotionDeps,
  promotion: Stored<Promotion>,
  nowMs: number,
): number | undefined {
  const { phase, result, sweepUntil } = promotion.status ?? {}
  if (!isEnded(phase)) return undefined
  const untilMs = parseTimestampMs(sweepUntil ?? '') ?? 0
  const later = laterPromotions(c.hub, pipelineOf(c, promotion), promotion)
  const next = later.find((p) => p.status?.intent !== undefined || !isEnded(p.status?.phase))
  const isUndecided = result?.transferredTo !== undefined && next && next.status?.intent === undefined
  if (isUndecided && untilMs - nowMs < 2 * EVERY_MS) return nowMs + SWEEP_MS
  const since = followerIn(later)?.status?.since
  if (phase !== 'Failed' || result?.pullRequest?.state !== 'open' || since === undefined) return undefined
  const anewMs = (parseTimestampMs(since) ?? 0) + SWEEP_MS
  return untilMs < anewMs && nowMs < anewMs ? anewMs : undefined
}

/** The last that has begun. */
const followerIn = (later: readonly Stored<Promotion>[]): Stored<Promotion> | undefined =>
  later.findLast((p) => p.status?.intent !== undefined)

const pipelineOf = ({ hub }: Pick<PromotionDeps, 'hub'>, { metadata, spec }: Stored<Promotion>) =>
  hub.pipelines.store.get({ namespace: metadata.namespace ?? '', name: spec.pipelineRef.name })

export interface SweeperInput {
  readonly promotion: Stored<Promotion>
  readonly view: PromotionState
  readonly work: GitStrategy
  readonly acting: ActionLease
  /** When this promotion saw something there last, by the steady clock. */
  readonly seenAtMs: number
}

export async function sweepOnce(c: PromotionDeps, s: SweeperInput): Promise<ReconcileResult> {
  let promotion = s.promotion
  const pipeline = pipelineOf(c, promotion)
  // As others have seen it a moment ago is enough where nothing is to be done.
  let isSure = false
  for (let i = 0; i < MOST; i++) {
    const acting = grantAction(s.acting)
    if (!acting) return requeueAfter(500)
    const left = withSharedTimeout(c.env.clock, acting)
    const found = await s.work.leftovers(left(), isSure ? undefined : s.seenAtMs)
    if (!found.ok) return requeueAfter(EVERY_MS)
    const { status } = promotion
    const next = sweep({
      phase: s.view.phase,
      key: s.view.key,
      number: status?.result?.pullRequest?.number,
      ...found.value,
      commit: status?.intent?.commit,
      told: status?.result?.told === true,
      transfer: pullRequestTransferOf(c, pipeline, promotion),
      inherits: status?.intent?.inherits,
      previous: status?.intent?.previous,
      follower: followerIn(laterPromotions(c.hub, pipeline, promotion))?.spec.revision,
      isAdopted: status?.intent?.adopts !== undefined,
      deleteBranch: s.view.settings.pullRequest?.deleteBranch ?? true,
    })
    if (!next) break
    if (!isSure && s.work.glanced) {
      isSure = true
      continue
    }
    isSure = true
    // A host closes what is open on a branch that is removed, and says nothing; what was merged just now may be listed as open.
    const mayBeOpen = next.type === 'RemoveBranch' && found.value.pulls.length === 0
    const isOwn = next.type === 'ClosePull' && next.number === status?.result?.pullRequest?.number
    const mayBeMerged = isOwn && isInBase(s.view.phase)
    const lateMs = mayBeOpen || mayBeMerged ? (listDelayUntilMs(s.view) ?? 0) - hubTime(c).nowMs : 0
    if (lateMs > 0) return requeueAfter(Math.min(lateMs, EVERY_MS))
    if (next.type === 'Tell') {
      const text = `Promotion ${s.view.name} has ended, and nothing follows from this pull request any more; another try is another request: lockstep promote`
      // Both count as one: a process that stops waits for the comment that its record promises.
      const told = await performCounted(s.acting, async () => {
        // Stored first: said at most once.
        const stored = await updatePromotionStore(c, promotion, {
          ...status,
          result: { ...status?.result, told: true },
        })
        if (!stored.error) await s.work.tell(next.number, text, left())
        return stored
      })
      if (!told) return requeueAfter(500)
      if (told.error) return told
      promotion = told.object
      continue
    }
    const done = await performCounted(s.acting, () => s.work.perform(next, left()))
    if (!done) return requeueAfter(500)
    if (!done.ok) return requeueAfter(EVERY_MS)
    const own = status?.result?.pullRequest
    if (!isOwn || !own) continue
    const result = { ...status?.result, pullRequest: { ...own, state: 'closed' as const } }
    const said = await updatePromotionStore(c, promotion, { ...status, result })
    if (said.error) return said
    promotion = said.object
  }
  const leftMs = sweepRemainingMs(promotion, hubTime(c).nowMs)
  return leftMs > 0 ? requeueAfter(Math.min(s.work.glanced?.againMs ?? EVERY_MS, leftMs)) : { ok: true }
}
