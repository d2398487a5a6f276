/** After the effect: targets, checks and clocks, and what of them is stored. */
import type { Stored } from '../../api/kind.ts'
import type { PromotionStatus } from '../../api/kinds/promotion.ts'
import type { Promotion } from '../../api/registry.ts'
import { converge } from '../../core/promotion/converge.ts'
import { isAtRevision } from '../../core/promotion/levels.ts'
import type { PromotionView, Step } from '../../core/promotion/state.ts'
import { type Checked, type Checker, storedChecks } from './checker.ts'
import type { Circumstances } from './circumstances.ts'
import { stoppedBy } from './circumstances.ts'

export async function converging(
  checker: Checker,
  promotion: Stored<Promotion>,
  view: PromotionView,
  around: Circumstances,
): Promise<{ readonly status: PromotionStatus; readonly step: Step; readonly wakeMs: number | undefined }> {
  const isVerified = view.phase === 'Verifying'
  const { checks, wakeMs } = isVerified ? await checker.see(promotion, around) : NOTHING
  const { step, clock, wellSince } = converge({
    ...{ promotion: view, level: around.level, stopped: stoppedBy(view, around) },
    isBegun: around.targets.some(
      (t) => t.revision !== undefined && isAtRevision(t.revision, view.id.revision),
    ),
    ...{ newer: around.newer, checks, nowMs: around.nowMs },
  })
  const { clock: _old, wellSince: _was, ...rest } = promotion.status ?? {}
  const status = {
    ...rest,
    ...(checks.length === 0 ? {} : { checks: storedChecks(checks) ?? [] }),
    ...(clock === undefined ? {} : { clock }),
    ...(wellSince === undefined ? {} : { wellSince }),
  }
  return { status, step, wakeMs }
}

const NOTHING: Checked = { checks: [], wakeMs: undefined }
