/** After the effect: targets, checks and clocks, and what of them is stored. */
import type { Stored } from '@lockstep/kube/object'
import type { Promotion, PromotionStatus } from '../../api/kinds/index.ts'
import {
  type ConvergeResult,
  convergeStep,
  dependsOnTargets,
  environmentRevisionOf,
  firstRefs,
  isAtRevision,
  type PromotionState,
  type PromotionStep,
  ruleOfEnvironment,
} from '../../decisions/promotion/index.ts'
import { promotionView } from '../cache/index.ts'
import { liveTargets, type TargetReader } from '../pipeline/index.ts'
import { type PromotionCheckResults, type PromotionChecks, storedChecks } from './promotionchecks.ts'
import { type PromotionContext, stoppedBy } from './promotioncontext.ts'

/** After so long it is looked again, in milliseconds, where a cache says that targets are there, and they are not. */
const PAST_MS = 5_000

export async function convergePromotion(
  c: TargetReader,
  checker: PromotionChecks,
  promotion: Stored<Promotion>,
  around: PromotionContext,
): Promise<{
  readonly status: PromotionStatus
  readonly step: PromotionStep
  readonly wakeMs: number | undefined
}> {
  const view = promotionView(promotion)
  const isVerified = view.phase === 'Verifying'
  const checked = isVerified ? await checker.see(promotion, around) : NOTHING
  let looked = look(view, around, checked)
  let { wakeMs } = checked
  // A cache may go back in time, to when it was there before.
  if (dependsOnTargets(looked.step, view)) {
    looked = look(view, await asTheyAre(c, around), checked)
    if (looked.step.type === 'Wait') wakeMs = Math.min(wakeMs ?? PAST_MS, PAST_MS)
  }
  const { step, clock, wellSince } = looked
  const { clock: _old, wellSince: _was, ...rest } = promotion.status ?? {}
  const { checks } = checked
  const status = {
    ...rest,
    ...(checks.length === 0 ? {} : { checks: storedChecks(checks) ?? [] }),
    ...(clock === undefined ? {} : { clock }),
    ...(wellSince === undefined ? {} : { wellSince }),
  }
  return { status, step, wakeMs }
}

const look = (
  view: PromotionState,
  around: PromotionContext,
  { checks }: PromotionCheckResults,
): ConvergeResult =>
  convergeStep({
    promotion: view,
    level: around.level,
    targets: firstRefs(around.targets.map((t) => t.ref)),
    stopped: stoppedBy(view, around),
    isBegun: around.targets.some(
      (t) => t.revision !== undefined && isAtRevision(t.revision, view.id.revision),
    ),
    newer: around.newer,
    checks,
    nowMs: around.nowMs,
  })

/** With its targets read now. */
async function asTheyAre(c: TargetReader, around: PromotionContext): Promise<PromotionContext> {
  const { pipeline, environment, nowMs } = around
  const targets = await liveTargets(c, pipeline, environment, nowMs)
  const level = environmentRevisionOf(ruleOfEnvironment(environment), pipeline.spec.appRef, targets)
  return { ...around, targets, level }
}

const NOTHING: PromotionCheckResults = { checks: [], wakeMs: undefined }
