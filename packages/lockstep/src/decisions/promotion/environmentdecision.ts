/** An environment of a pipeline: what is said of it, from what is seen of it. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Environment, EnvironmentStatus } from '../../api/kinds/index.ts'
import { type EnvironmentHold, heldBlocker, heldBy } from './begin.ts'
import type { SourceObservation } from './environmentintent.ts'
import {
  type EnvironmentRevision,
  environmentRevisionOf,
  isAtRevision,
  settle,
} from './environmentrevision.ts'
import { type AppRef, type PromotionObject, pipelineRef, promotionRef } from './promotionref.ts'
import { isEnded } from './promotionstate.ts'
import {
  type Divergence,
  detectDivergence,
  divergenceHold,
  type LastPromotion,
  lastDone,
  recordedDivergence,
  retainDivergence,
  revertedHold,
  unrecordedRevert,
} from './rollback.ts'
import type { TargetState } from './targetstate.ts'

export interface EnvironmentObservation {
  readonly environment: Environment
  readonly before: EnvironmentStatus | undefined
  readonly targets: readonly TargetState[]
  /** Those that are kept, earlier epochs first. */
  readonly promotions: readonly LastPromotion[]
}

export interface EnvironmentDecision {
  readonly status: EnvironmentStatus
  readonly level: EnvironmentRevision
  /** What keeps it from settling. */
  readonly blockers: readonly NewBlocker[]
  /** What keeps anything new from coming to it; it may be settled all the same. */
  readonly following?: readonly NewBlocker[]
  readonly wakeAtMs: number | undefined
  /** Somebody has led it away from what was promoted. */
  readonly diverged: Divergence | undefined
}

export interface PipelineObservation {
  readonly pipeline: PromotionObject
  readonly appRef: AppRef
  readonly holds: readonly EnvironmentHold[]
  /** The hub's time. */
  readonly nowMs: number
}

export const ruleOfEnvironment = ({ name, readiness }: Environment) => ({ name, ...readiness })

/** The intent is carried over: another one is decided upon elsewhere, and stored before anything follows from it. */
export function decideEnvironment(
  { environment, before, targets, promotions }: EnvironmentObservation,
  { pipeline, appRef, holds, nowMs }: PipelineObservation,
): EnvironmentDecision {
  const rule = ruleOfEnvironment(environment)
  const { name } = environment
  const level = environmentRevisionOf(rule, appRef, targets)
  const last = promotions.at(-1)
  const done = lastDone(promotions)
  const promoted = done?.revision ?? before?.promoted
  const arrival = arrivalOf(done, targets, level, nowMs)
  const arrived = arrival === 'There' ? done?.name : before?.arrived
  const behind = targets.map((t) => isBehind(t, { done, before, arrived }))
  const isBack = done !== undefined && level.type === 'At' && isAtRevision(level.revision, done.revision)
  // Led away once more, it is said once more.
  const said =
    isBack && before?.left === done.name ? undefined : retainDivergence(recordedDivergence(before), targets)
  const diverged = detectDivergence({
    promotions,
    arrived,
    said,
    intended: restoredIntents(before, last),
    targets: targets.map((t, i) => ({ ...t, isBehind: behind[i]! })),
  })
  const reverted = unrecordedRevert(promotions, [before?.reverted, said?.name])
  const settling = settle({
    rule,
    level,
    nowMs,
    before: before ?? {},
    unproven: (revision) =>
      unproven(environment, { pipeline, revision, promoted, last, holds, diverged, reverted }),
  })
  const ready = targets.filter((t) => t.state === 'Ready').length
  return {
    level,
    diverged,
    blockers: settling.blockers,
    wakeAtMs: earlier(settling.wakeAtMs, arrival),
    status: dropUndefined({
      name,
      settled: settling.settled,
      candidate: settling.candidate,
      intent: before?.intent,
      current: level.type === 'At' ? level.revision : undefined,
      promoted,
      promotion: last?.name,
      phase: last?.phase,
      arrived,
      left: said?.name,
      leftTo: said?.to?.slice(),
      reverted: before?.reverted,
      ready: `${ready}/${targets.length}`,
      targets: targets.map((t, i) =>
        dropUndefined({
          namespace: t.namespace,
          cluster: t.cluster,
          ready: t.state === 'Ready',
          revision: t.revision,
          behind: behind[i] ? true : undefined,
          reason: t.blocker?.reason,
          message: t.blocker?.message.slice(0, 1024),
        }),
      ),
    }),
  }
}

/** It would not be known any more that something was said: led there again, a Hold that people have deleted comes back. */
export const forgetsDivergence = (
  before: EnvironmentStatus | undefined,
  { left, leftTo }: EnvironmentStatus,
): boolean =>
  before?.left !== undefined &&
  (left !== before.left || (before.leftTo ?? []).some((to) => leftTo?.includes(to) !== true))

/** What was said, by a look at targets that were read now: a cache may go back in time. */
export function divergenceRecordedBy(
  { status, ...look }: EnvironmentDecision,
  now: EnvironmentDecision,
): EnvironmentDecision {
  const { left, leftTo } = now.status
  return { ...look, status: dropUndefined({ ...status, left, leftTo }) }
}

/** What is to be there by an intent whose promotion is not there any more, or not yet. */
export const restoredIntents = (
  before: Pick<EnvironmentStatus, 'intent'> | undefined,
  last: Pick<LastPromotion, 'epoch'> | undefined,
): string | undefined =>
  before?.intent !== undefined && before.intent.epoch > (last?.epoch ?? 0)
    ? before.intent.revision
    : undefined

/** What is seen of targets is not older than that, in milliseconds. */
export const SEEN_MS = 120_000

/**
 * Whether it has been at what was promoted last. Whoever ended the promotion has seen it there; here it may have been seen later,
 * when it was led elsewhere already, or not yet, from a cache that is behind. A time: it is known by then.
 */
function arrivalOf(
  done: LastPromotion | undefined,
  targets: readonly TargetState[],
  level: EnvironmentRevision,
  nowMs: number,
): 'There' | number | undefined {
  if (!done) return undefined
  if (level.type === 'At' && isAtRevision(level.revision, done.revision)) return 'There'
  if (!targets.some((t) => t.state === 'Ready' && !isAtRevision(t.revision!, done.revision))) return undefined
  const knownMs = done.endedMs === undefined ? undefined : done.endedMs + SEEN_MS
  return knownMs !== undefined && nowMs >= knownMs ? 'There' : knownMs
}

interface Arrival {
  readonly done: LastPromotion | undefined
  readonly before: EnvironmentStatus | undefined
  readonly arrived: string | undefined
}

/** A target that was out of reach when the others arrived, or has been added since, may still be where it was before. */
function isBehind(t: TargetState, { done, before, arrived }: Arrival): boolean {
  if (!done || arrived !== done.name) return false
  if (t.state === 'Ready' && isAtRevision(t.revision!, done.revision)) return false
  if (before?.arrived !== arrived) return t.state === 'Unreadable'
  const known = before.targets?.find((x) => x.namespace === t.namespace && x.cluster === t.cluster)
  return known === undefined || known.behind === true
}

function earlier(wakeAtMs: number | undefined, arrival: 'There' | number | undefined): number | undefined {
  if (typeof arrival !== 'number') return wakeAtMs
  return wakeAtMs === undefined ? arrival : Math.min(wakeAtMs, arrival)
}

interface Proof {
  readonly pipeline: PromotionObject
  readonly revision: string
  readonly promoted: string | undefined
  readonly last: LastPromotion | undefined
  readonly holds: readonly EnvironmentHold[]
  /** Of these a Hold is made after this look. */
  readonly diverged: Divergence | undefined
  readonly reverted: LastPromotion | undefined
}

/** What is held, or is about to be, goes nowhere; nor does what is being verified, or should have been. */
function unproven(
  { name, promotion }: Environment,
  { pipeline, revision, promoted, last, holds, diverged, reverted }: Proof,
): NewBlocker | undefined {
  const { namespace = '' } = pipeline
  const hold = heldBy(holds, name, undefined)
  if (hold) return heldBlocker(namespace, hold)
  // An environment without promotions gets no Hold either.
  if (promotion && diverged) return heldBlocker(namespace, divergenceHold(pipeline.name, name, diverged))
  if (promotion && reverted) return heldBlocker(namespace, revertedHold(pipeline.name, name, reverted))
  if (last && !isEnded(last.phase) && isAtRevision(revision, last.revision))
    return blocked('PromotionInProgress', [promotionRef({ namespace, name: last.name })], {
      because: 'NotEnded',
      environment: name,
      revision,
    })
  if (promotion?.verify && !(promoted !== undefined && isAtRevision(revision, promoted)))
    return blocked('VerificationRunning', [pipelineRef(pipeline)], {
      because: 'NotVerified',
      environment: name,
      revision,
    })
  return undefined
}

/** Where the revisions of an environment come from: those it names, or the one before it. */
export const sourceNames = (environments: readonly Environment[], index: number): readonly string[] =>
  environments[index]?.from ?? (index === 0 ? [] : [environments[index - 1]!.name])

/** What of an environment its followers see. */
export const sourceSeen = (
  { name, settled }: Pick<EnvironmentStatus, 'name' | 'settled'>,
  level: EnvironmentRevision,
): SourceObservation => ({
  name,
  settled,
  unreachable:
    level.type === 'Not' ? level.blockers.find((b) => b.reason === 'TargetUnreachable') : undefined,
  unsettled: notAt(settled, level),
})

function notAt(
  settled: SourceObservation['settled'],
  level: EnvironmentRevision,
): SourceObservation['unsettled'] {
  if (level.type === 'Not') return { because: 'NotReady', cause: level.blockers[0] }
  if (settled === undefined || level.revision === settled.revision) return undefined
  return { because: 'OtherRevision', current: level.revision }
}

function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T
}
