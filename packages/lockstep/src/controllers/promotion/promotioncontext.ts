/** All that decides about a promotion, besides what is found outside. */

import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Environment, Pipeline, Promotion } from '../../api/kinds/index.ts'
import {
  approvalBlocker,
  type BeginInput,
  detectDivergence,
  divergenceHold,
  type EnvironmentHold,
  type EnvironmentRevision,
  environmentRevisionOf,
  findRollback,
  heldBlocker,
  heldBy,
  isEnded,
  lastDone,
  lostTargets,
  type NewerPromotion,
  type PromotionHold,
  type PromotionState,
  promotionRef,
  recordedDivergence,
  restoredIntents,
  retainDivergence,
  revertedHold,
  ruleOfEnvironment,
  SEEN_MS,
  type SourceObservation,
  sourceNames,
  sourceSeen,
  type TargetState,
  unrecordedRevert,
  windowBlocker,
} from '../../decisions/promotion/index.ts'
import { openingText, windowsAt } from '../../decisions/rollout/index.ts'
import { isForgotten, lastPromotionView, promotionHistory } from '../cache/index.ts'
import { approvalsFor, type PipelineHolds, promotionNameOf } from '../pipeline/index.ts'
import type { PromotionDeps } from './promotiondeps.ts'

export interface PromotionContext {
  readonly pipeline: Stored<Pipeline>
  readonly environment: Environment
  readonly targets: readonly TargetState[]
  readonly level: EnvironmentRevision
  readonly newer: NewerPromotion | undefined
  readonly consents: PipelineHolds
  /** Where its revision comes from. */
  readonly sources: readonly SourceObservation[]
  /** Holds that are about to be made: whoever looks at targets first acts as if they were there. */
  readonly about: readonly EnvironmentHold[]
  /** Another pipeline has its identity: nothing begins, and nothing is merged. */
  readonly conflict?: NewBlocker
  readonly nowMs: number
}

export function promotionContextOf(
  { hub }: Pick<PromotionDeps, 'hub'>,
  promotion: Stored<Promotion>,
  pipeline: Stored<Pipeline>,
  environment: Environment,
  seen: {
    readonly targets: readonly TargetState[]
    readonly sources: readonly SourceObservation[]
    readonly consents: PipelineHolds
    readonly nowMs: number
  },
): PromotionContext {
  const newer = promotionHistory(hub, pipeline, environment.name).findLast(
    (p) => p.spec.epoch > promotion.spec.epoch,
  )
  const about = aboutToHold({ hub }, pipeline, environment.name, seen)
  const consents = { ...seen.consents, holds: [...seen.consents.holds, ...about] }
  return {
    pipeline,
    environment,
    ...seen,
    consents,
    about,
    level: environmentRevisionOf(ruleOfEnvironment(environment), pipeline.spec.appRef, seen.targets),
    newer: newer && { name: newer.metadata.name, revision: newer.spec.revision },
  }
}

/** The environments that its revision comes from, as they are now. */
export const environmentSources = (
  { spec, status }: Stored<Pipeline>,
  environment: Environment,
  levels: (source: Environment) => readonly TargetState[],
): SourceObservation[] => {
  const names = sourceNames(spec.environments, spec.environments.indexOf(environment))
  return spec.environments
    .filter((e) => names.includes(e.name))
    .map((e) =>
      sourceSeen(
        status?.environments?.find((s) => s.name === e.name) ?? { name: e.name },
        environmentRevisionOf(ruleOfEnvironment(e), spec.appRef, levels(e)),
      ),
    )
}

/** Somebody has led it elsewhere, or has taken something back at its base, and its pipeline has not said so yet. */
function aboutToHold(
  { hub }: Pick<PromotionDeps, 'hub'>,
  pipeline: Stored<Pipeline>,
  environment: string,
  { targets, nowMs }: { readonly targets: readonly TargetState[]; readonly nowMs: number },
): EnvironmentHold[] {
  const status = pipeline.status?.environments?.find((e) => e.name === environment)
  const isBehind = (t: TargetState): boolean => {
    const known = status?.targets?.find((x) => x.namespace === t.namespace && x.cluster === t.cluster)
    return known === undefined || known.behind === true
  }
  const { name } = pipeline.metadata
  const promotions = promotionHistory(hub, pipeline, environment).map(lastPromotionView)
  const reverted = unrecordedRevert(promotions, [status?.reverted, status?.left])
  const here = {
    promotions,
    intended: restoredIntents(status, promotions.at(-1)),
    said: retainDivergence(recordedDivergence(status), targets),
    targets: targets.map((t) => ({ ...t, isBehind: isBehind(t) })),
  }
  const led = detectDivergence({ ...here, arrived: status?.arrived })
  const made = [
    reverted && revertedHold(name, environment, reverted),
    led && divergenceHold(name, environment, led),
  ]
  const out = made.flatMap((h) => (h ? [{ ...h, environments: [environment], untilMs: undefined }] : []))
  if (out.length > 0) return out
  // Whether it has been there is not known to the pipeline yet: what is elsewhere now may have been led there.
  const done = lastDone(promotions)
  const knownMs = done?.endedMs === undefined ? 0 : done.endedMs + SEEN_MS
  const may = knownMs > nowMs ? detectDivergence({ ...here, arrived: done?.name }) : undefined
  return may
    ? [{ ...divergenceHold(name, environment, may), environments: [environment], untilMs: knownMs }]
    : []
}

export function promotionWindow(
  c: Pick<PromotionDeps, 'env'>,
  { settings }: PromotionState,
  nowMs: number,
): BeginInput['window'] {
  const windows = settings.windows ?? []
  const state = windowsAt(windows, nowMs, c.env.calendar)
  return { ...state, opens: state.isOpen ? undefined : openingText(windows, nowMs, c.env.calendar) }
}

export function beginInput(
  c: Pick<PromotionDeps, 'env' | 'hub'>,
  view: PromotionState,
  { pipeline, environment, targets, sources, newer, consents, nowMs }: PromotionContext,
  promotion: Stored<Promotion>,
): BeginInput {
  const { name } = environment
  const isStated = view.isRollback || isStatedBy(pipeline, promotion)
  return {
    promotion: view,
    pipeline: pipeline.metadata.name,
    holds: consents.holds,
    namespace: pipeline.metadata.namespace ?? '',
    lost: lostTargets(environment.readiness, targets),
    newer: newer ?? intended(pipeline, view),
    isForgotten: isForgotten(pipeline, promotion),
    running: promotionHistory(c.hub, pipeline, name)
      .filter((p) => p.spec.epoch < promotion.spec.epoch && !isEnded(p.status?.phase))
      .map((p) => ({ name: p.metadata.name, phase: p.status?.phase ?? 'Pending' })),
    sources: isStated ? [] : sources,
    consents: approvalsFor(consents, name),
    window: promotionWindow(c, view, nowMs),
    goesBack: backBefore(c, pipeline, promotion),
  }
}

/** What it would come after has failed, and what succeeded before that is to be there first. */
function backBefore(
  { hub }: Pick<PromotionDeps, 'hub'>,
  pipeline: Stored<Pipeline>,
  { spec }: Stored<Promotion>,
): BeginInput['goesBack'] {
  if (spec.rollbackOf !== undefined || spec.requestID !== undefined) return undefined
  const { promoted } = pipeline.status?.environments?.find((e) => e.name === spec.environment) ?? {}
  const all = promotionHistory(hub, pipeline, spec.environment).map(lastPromotionView)
  const way = findRollback(all, lastDone(all)?.revision ?? promoted)
  return way.type === 'Back' && way.failed.epoch < spec.epoch ? way.failed : undefined
}

/** What is stored already and not made yet: the Holds that it lets go of are not for what was held by them before. */
function intended(pipeline: Stored<Pipeline>, { id }: PromotionState): NewerPromotion | undefined {
  const intent = pipeline.status?.environments?.find((e) => e.name === id.environment)?.intent
  if (!intent || intent.epoch <= id.epoch) return undefined
  return { name: promotionNameOf(pipeline, id.environment, intent), revision: intent.revision }
}

/** Somebody has named the revision: where it comes from does not matter. */
function isStatedBy({ status }: Stored<Pipeline>, { spec }: Stored<Promotion>): boolean {
  if (spec.requestID === undefined) return false
  const intent = status?.environments?.find((e) => e.name === spec.environment)?.intent
  return intent?.epoch === spec.epoch && (intent.stated === true || intent.source !== spec.revision)
}

/**
 * What keeps us from changing the destination; people may. Of targets that nobody can read it is not known whether somebody has led
 * them elsewhere.
 */
export function heldBack(
  c: Pick<PromotionDeps, 'env'>,
  view: PromotionState,
  { pipeline, environment, targets, newer, consents, conflict, nowMs }: PromotionContext,
): PromotionHold | undefined {
  if (conflict) return { blocker: conflict, untilMs: undefined }
  const { name } = environment
  const { name: pipelineName, namespace = '' } = pipeline.metadata
  const hold = heldBy(consents.holds, name, view.name)
  if (hold) return { blocker: heldBlocker(namespace, hold), untilMs: hold.untilMs }
  const follows = newer ? undefined : intended(pipeline, view)
  if (follows) {
    const facts = { because: 'Newer', environment: name, revision: follows.revision } as const
    const ref = promotionRef({ namespace, name: follows.name })
    return { blocker: blocked('PromotionInProgress', [ref], facts), untilMs: undefined }
  }
  const consent = approvalBlocker({
    promotion: view,
    pipeline: pipelineName,
    namespace,
    consents: approvalsFor(consents, name),
  })
  if (consent) return { blocker: consent, untilMs: undefined }
  const window = promotionWindow(c, view, nowMs)
  if (!window.isOpen) return { blocker: windowBlocker(view, window), untilMs: window.changesAtMs }
  const lost = lostBlocker(environment, targets)
  return lost && { blocker: lost, untilMs: undefined }
}

const lostBlocker = ({ readiness }: Environment, targets: readonly TargetState[]): NewBlocker | undefined =>
  lostTargets(readiness, targets)[0]?.blocker

/** Unreadable targets and Holds stop the deadline. */
export function stoppedBy(
  view: PromotionState,
  { pipeline, targets, consents, environment }: PromotionContext,
): NewBlocker | undefined {
  const lost = lostBlocker(environment, targets)
  if (lost) return lost
  const hold = heldBy(consents.holds, environment.name, view.name)
  return hold && heldBlocker(pipeline.metadata.namespace ?? '', hold)
}
