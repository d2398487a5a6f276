/** What is known on the hub of a promotion: its pipeline, its environment, and where that gets its revisions from. */

import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Environment, Promotion, PromotionPhase, PromotionStatus } from '../../api/kinds/index.ts'
import {
  convergeStep,
  isAtRevision,
  lastAtBase,
  type PromotionHold,
  type PromotionState,
  pipelineRef,
} from '../../decisions/promotion/index.ts'
import { lastPromotionView, promotionHistory } from '../cache/index.ts'
import { cachedPipelineHolds, cachedTargets, identityConflict, isLeaving } from '../pipeline/index.ts'
import { hubTime } from '../runtime/index.ts'
import { environmentSources, type PromotionContext, promotionContextOf } from './promotioncontext.ts'
import type { PromotionDeps } from './promotiondeps.ts'
import { mayTransfer } from './pullrequesttransfer.ts'
import type { StrategyContext } from './strategies/strategy.ts'

/** Phases in which nothing is open, or there. */
export const PHASES_BEFORE_OPEN: ReadonlySet<PromotionPhase> = new Set(['Pending', 'Prepared', 'Applying'])

/**
 * Undefined: its pipeline is gone, or does not have the environment any more; or it is being deleted, and nothing begins any more.
 * What is open or there already is seen to its end.
 */
export function promotionScopeOf(
  c: PromotionDeps,
  promotion: Stored<Promotion>,
): PromotionContext | undefined {
  const { namespace = '' } = promotion.metadata
  const { pipelineRef, environment: name } = promotion.spec
  const pipeline = c.hub.pipelines.store.get({ namespace, name: pipelineRef.name })
  const environment = pipeline?.spec.environments.find((e) => e.name === name)
  if (!pipeline || !environment) return undefined
  if (isLeaving(pipeline) && PHASES_BEFORE_OPEN.has(promotion.status?.phase ?? 'Pending')) return undefined
  const { nowMs } = hubTime(c)
  const levels = (e: Environment) => cachedTargets(c, c.watchIndex, pipeline, e, nowMs, new Set())
  const consents = cachedPipelineHolds(c.hub, pipeline, nowMs)
  const sources = environmentSources(pipeline, environment, levels)
  const seen = { targets: levels(environment), sources, consents, nowMs }
  const conflict = identityConflict(c, pipeline)
  return { ...promotionContextOf(c, promotion, pipeline, environment, seen), ...(conflict && { conflict }) }
}

/** It may come back, or the environment may: nothing is ended by that. */
export const pipelineNotFound = ({ metadata, spec }: Stored<Promotion>): NewBlocker => {
  const pipeline = { namespace: metadata.namespace, name: spec.pipelineRef.name }
  return blocked('PipelineNotFound', [pipelineRef(pipeline)], { environment: spec.environment })
}

/** Meanwhile nobody can look: deadlines stand still, and what has to stay well begins anew. */
export function pauseClocks(
  promotion: Stored<Promotion>,
  view: PromotionState,
  nowMs: number,
): PromotionStatus {
  const { clock: before, wellSince: _was, ...rest } = view.status
  const { clock } = convergeStep({
    promotion: view,
    level: { type: 'Not', blockers: [] },
    targets: [],
    stopped: pipelineNotFound(promotion),
    isBegun: before !== undefined,
    newer: undefined,
    checks: [],
    nowMs,
  })
  return { ...rest, ...(clock === undefined ? {} : { clock }) }
}

/** What a strategy is told besides what it finds outside. */
export function strategyContext(
  c: PromotionDeps,
  promotion: Stored<Promotion>,
  view: PromotionState,
  { around, held, seenAtMs }: { around: PromotionContext; held: PromotionHold | undefined; seenAtMs: number },
): StrategyContext {
  const { newer, nowMs, level } = around
  return {
    newer,
    held,
    seenAtMs,
    nowMs,
    isThere: level.type === 'At' && isAtRevision(level.revision, view.id.revision),
    mayTransfer: mayTransfer(c, view, around),
    done: doneAtBase(c, promotion, around),
  }
}

/** Undefined as well where somebody has asked, or has let go of what was said of its leaving. */
function doneAtBase(
  { hub }: PromotionDeps,
  { spec }: Stored<Promotion>,
  { pipeline }: PromotionContext,
): StrategyContext['done'] {
  if (spec.requestID !== undefined || spec.rollbackOf !== undefined) return undefined
  const all = promotionHistory(hub, pipeline, spec.environment)
  const done = lastAtBase(all.map(lastPromotionView), spec.epoch)
  const said = pipeline.status?.environments?.find((e) => e.name === spec.environment)
  const found = all.find((p) => p.metadata.name === done?.name)
  return found && said?.left !== done?.name ? { name: found.metadata.name, id: found.spec } : undefined
}
