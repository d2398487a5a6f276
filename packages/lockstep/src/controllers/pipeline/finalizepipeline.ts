/** Pipelines that are deleted: their promotions go before them, and close what they have open. */

import { keyOf, keyText, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Blocker, NewBlocker } from '../../api/blocker.ts'
import { type Pipeline, type Promotion, pipelineKind, promotionKind } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { closingBlocker, mayBeOpen, shouldClosePullRequests } from '../../decisions/promotion/index.ts'
import { promotionView } from '../cache/index.ts'
import { failed, hubTime } from '../runtime/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'
import { isKept, isLeaving, setPullRequestsFinalizer } from './pullrequestsfinalizer.ts'

/** One that nobody deletes is kept from going unseen, or not any more. Undefined: it is as it should be. */
export async function ensurePipelineFinalizer(
  c: PipelineDeps,
  pipeline: Stored<Pipeline>,
): Promise<ReconcileResult | undefined> {
  const wanted = pipeline.spec.deletionPolicy === 'Close'
  return wanted === isKept(pipeline) ? undefined : setPullRequestsFinalizer(c, pipelineKind, pipeline, wanted)
}

/** What keeps one that is deleted, or what was done about it. */
export async function finalizePipeline(
  c: PipelineDeps,
  pipeline: Stored<Pipeline>,
): Promise<{ readonly outcome: ReconcileResult } | { readonly blockers: readonly NewBlocker[] }> {
  if (!isKept(pipeline)) return { outcome: { ok: true } }
  const { nowMs } = hubTime(c)
  const all = [...c.hub.promotions.store.by('pipeline', keyText(pipeline.metadata))]
  const left = all.filter((p) => {
    const view = promotionView(p)
    return shouldClosePullRequests(pipeline, view.settings) && (isKept(p) || mayBeOpen(view, nowMs))
  })
  if (left.length === 0) return { outcome: await setPullRequestsFinalizer(c, pipelineKind, pipeline, false) }
  // Those that are not kept yet are deleted as soon as they are.
  for (const p of left.filter((x) => isKept(x) && !isLeaving(x))) {
    const { uid, resourceVersion } = p.metadata
    const o = { purpose: 'record', manager: MANAGER, precondition: { uid, resourceVersion } } as const
    const done = await c.hub.own.delete(promotionKind, keyOf(p), o)
    if (!done.ok && done.error.kind !== 'NotFound') return { outcome: failed(done.error) }
  }
  return { blockers: left.flatMap((p) => stillOpen(p, keyText(pipeline.metadata))) }
}

function stillOpen(promotion: Stored<Promotion>, pipeline: string): NewBlocker[] {
  const blockers = (promotion.status?.blockers ?? []) as readonly Blocker[]
  return blockers.length === 0
    ? [closingBlocker(promotionView(promotion), pipeline)]
    : blockers.map(({ since: _since, ...stored }) => stored)
}
