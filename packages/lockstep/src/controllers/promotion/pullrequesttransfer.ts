/** One pull request for one revision after another: which promotion goes on with that of which. */
import { jsonEqual, type Stored } from '@lockstep/kube/object'
import type { Pipeline, Promotion } from '../../api/kinds/index.ts'
import { begin, isEnded, type PromotionState } from '../../decisions/promotion/index.ts'
import { laterPromotions, promotionView } from '../cache/index.ts'
import { isLeaving } from '../pipeline/index.ts'
import { beginInput, type PromotionContext } from './promotioncontext.ts'
import type { PromotionDeps } from './promotiondeps.ts'

/** What a promotion may go on with. */
export interface PredecessorPromotion {
  readonly key: string
  readonly branch: string
  /** Of its pull request: lists may not have it yet. */
  readonly number: number | undefined
  /** Its own, and the one that it had taken the place of, where it did not come to that. */
  readonly commits: readonly (string | undefined)[]
}

/** The newer one is of the same place, and waits for nothing but this one: it takes over as soon as it is told. */
export function mayTransfer(
  c: Pick<PromotionDeps, 'env' | 'hub'>,
  view: PromotionState,
  around: PromotionContext,
): boolean {
  const { newer, pipeline } = around
  if (!newer || view.settings.onNewer !== 'Update') return false
  const { namespace = '' } = pipeline.metadata
  const next = c.hub.promotions.store.get({ namespace, name: newer.name })
  if (!next || !isSamePlace(view.settings, next.spec.settings)) return false
  const input = beginInput(c, promotionView(next), { ...around, newer: undefined }, next)
  return begin({ ...input, running: [] }).type === 'Prepare'
}

type Settings = PromotionState['settings']

function isSamePlace({ pullRequest: a }: Settings, { pullRequest: b }: Settings): boolean {
  const place = (p: typeof a) => [p?.provider, p?.url, p?.apiUrl, p?.baseBranch].map((t) => t ?? '')
  return a !== undefined && b !== undefined && jsonEqual(place(a), place(b))
}

/** Earlier epochs first; what was followed before it had begun has nothing to go on with. */
export function predecessorOf(
  earlier: readonly Stored<Promotion>[],
  settings: Settings,
): PredecessorPromotion | undefined {
  const before = earlier.findLast((p) => !isEnded(p.status?.phase) || p.status?.intent !== undefined)
  const { result, intent } = before?.status ?? {}
  if (!before || result?.transferredTo === undefined || intent?.branch === undefined) return undefined
  if (!isSamePlace(before.spec.settings, settings)) return undefined
  return {
    key: promotionView(before).key,
    branch: intent.branch,
    number: result.pullRequest?.number,
    commits: [intent.commit, intent.previous],
  }
}

/** Whether a later promotion goes on with the pull request of this one, or is about to: nothing that is deleted begins any more. */
export function pullRequestTransferOf(
  { hub }: Pick<PromotionDeps, 'hub'>,
  pipeline: Stored<Pipeline> | undefined,
  promotion: Stored<Promotion>,
): 'None' | 'Taken' | 'Left' {
  const { status } = promotion
  if (status?.result?.transferredTo === undefined) return 'None'
  const later = laterPromotions(hub, pipeline, promotion)
  const begun = later.filter((p) => p.status?.intent !== undefined)
  const { branch } = status.intent ?? {}
  if (begun.some((p) => p.status?.intent?.branch === branch)) return 'Taken'
  // What comes after one that has gone its own way goes on with that one.
  if (begun.length > 0 || (pipeline !== undefined && isLeaving(pipeline))) return 'Left'
  return later.some((p) => !isEnded(p.status?.phase) && !isLeaving(p)) ? 'Taken' : 'Left'
}
