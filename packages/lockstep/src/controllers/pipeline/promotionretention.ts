/** Promotions that nobody needs any more: of each environment the newest are kept, and all that run. */
import type { Stored } from '@lockstep/kube/object'
import { type Promotion, promotionKind } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { isEnded } from '../../decisions/promotion/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'

/** Of an environment, besides those that run and the newest that has succeeded. */
const KEPT = 20

/** Earlier epochs first. */
export function beyondPromotionRetention(all: readonly Stored<Promotion>[]): readonly Stored<Promotion>[] {
  const succeeded = all.findLast((p) => p.status?.phase === 'Succeeded')
  return all
    .slice(0, Math.max(0, all.length - KEPT))
    .filter((p) => isEnded(p.status?.phase) && p !== succeeded)
}

export async function collectPromotions(
  { hub }: Pick<PipelineDeps, 'hub'>,
  all: readonly Stored<Promotion>[],
): Promise<void> {
  for (const { metadata } of beyondPromotionRetention(all)) {
    const { uid, resourceVersion, namespace = '', name } = metadata
    const o = { purpose: 'record', manager: MANAGER, precondition: { uid, resourceVersion } } as const
    await hub.own.delete(promotionKind, { namespace, name }, o)
  }
}
