/** After the effect: until all targets are at the revision, and as long as they have to stay well. */

import { parseTimestampMs, shortDuration, timestamp } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { PromotionStatus } from '../../api/kinds/index.ts'
import type { BlockerReason } from '../../api/reasons/index.ts'
import { type EnvironmentRevision, isAtRevision } from './environmentrevision.ts'
import { type NewerPromotion, type PromotionState, type PromotionStep, subjectOf } from './promotionstate.ts'

export interface CheckResult {
  readonly name: string
  readonly state: 'Running' | 'Passed' | 'Failed'
  readonly message: string
  /** A failure that will not become another: a Job that has ended. */
  readonly isFinal: boolean
}

export interface ConvergeInput {
  readonly promotion: PromotionState
  readonly level: EnvironmentRevision
  /** A target is at the revision: whoever brings it has begun. */
  readonly isBegun: boolean
  readonly newer: NewerPromotion | undefined
  /** A target cannot be read, or somebody holds the environment: the deadline stands still. */
  readonly stopped: NewBlocker | undefined
  readonly checks: readonly CheckResult[]
  /** The hub's time. */
  readonly nowMs: number
}

/** What of a status goes with a step: clocks are stored when they start and stop, and never in between. */
export interface ConvergeResult {
  readonly step: PromotionStep
  readonly clock: PromotionStatus['clock']
  readonly wellSince: string | undefined
}

export function convergeStep(input: ConvergeInput): ConvergeResult {
  return input.promotion.phase === 'Verifying' ? verify(input) : arrive(input)
}

/** It goes on because of where targets are said to be. Where nothing is verified, that was looked at when they arrived. */
export const dependsOnTargets = (step: PromotionStep, { settings }: PromotionState): boolean =>
  step.type === 'Phase' &&
  (step.to === 'Verifying' || (step.to === 'Succeeded' && settings.verify !== undefined))

function arrive(input: ConvergeInput): ConvergeResult {
  const { promotion, level, stopped, nowMs } = input
  if (promotion.settings.strategy === 'manual' && !input.isBegun) return awaitPeople(input)
  const { clock, leftMs } = ticking(input, promotion.settings.convergeDeadlineSeconds * 1000)
  const isThere = level.type === 'At' && isAt(level, promotion)
  const out = (step: PromotionStep): ConvergeResult => ({ step, clock, wellSince: undefined })
  if (isThere && !stopped) return out({ type: 'Phase', to: 'Verifying' })
  const blockers = stopped ? [stopped] : notThere(promotion, level)
  if (leftMs <= 0 && !stopped)
    return out({
      type: 'Phase',
      to: 'Failed',
      reason: 'ConvergeDeadlineExceeded',
      message: `not at ${promotion.id.revision} within ${promotion.settings.convergeDeadlineSeconds} s: ${blockers.map((b) => b.message).join('; ')}`,
    })
  return out({ type: 'Wait', blockers, ...(stopped ? {} : { untilMs: nowMs + leftMs }) })
}

/** Nobody has brought it anywhere yet, which may take people as long as it takes: its deadline begins when they do. */
function awaitPeople({ promotion, level, stopped, newer }: ConvergeInput): ConvergeResult {
  const { id } = promotion
  // One that ran before somebody took it back again is over, too.
  const out = (step: PromotionStep): ConvergeResult => ({ step, clock: undefined, wellSince: undefined })
  if (newer)
    return out({
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `nobody had brought it to ${id.environment}: ${newer.revision} follows in Promotion ${newer.name}`,
    })
  if (stopped) return out({ type: 'Wait', blockers: [stopped] })
  const where = level.type === 'At' ? ` from ${level.revision}` : ''
  const message = `${id.environment}: somebody has to bring it${where} to ${id.revision}`
  return out({
    type: 'Wait',
    blockers: [{ reason: 'AwaitingManualPromotion', subject: subjectOf(promotion), message }],
  })
}

const isAt = ({ revision }: Extract<EnvironmentRevision, { type: 'At' }>, { id }: PromotionState): boolean =>
  isAtRevision(revision, id.revision)

function notThere({ id, name }: PromotionState, level: EnvironmentRevision): readonly NewBlocker[] {
  if (level.type === 'Not') return level.blockers
  const message = `${id.environment}: at ${level.revision}, waiting for ${id.revision}`
  return [{ reason: 'TargetNotReady', subject: `Promotion/${name}`, message }]
}

/** All well without a break for so long; what is not well by the timeout has failed. */
function verify(input: ConvergeInput): ConvergeResult {
  const { promotion, stopped, checks, nowMs } = input
  const { verify: asked } = promotion.settings
  const clocked = ticking(input, (asked?.timeoutSeconds ?? 0) * 1000)
  const out = (step: PromotionStep, wellSince?: string): ConvergeResult => ({
    step,
    clock: clocked.clock,
    wellSince,
  })
  const failed = (reason: BlockerReason, message: string): ConvergeResult =>
    out({ type: 'Phase', to: 'Failed', reason, message })
  if (!asked) return out({ type: 'Phase', to: 'Succeeded', reason: 'Promoted' })
  const dead = checks.find((c) => c.isFinal && c.state === 'Failed')
  if (dead) return failed('VerificationFailed', `check ${dead.name}: ${dead.message}`)
  const blockers = unwell(input)
  if (blockers.length === 0) {
    const since = promotion.status.wellSince ?? timestamp(nowMs)
    const endsMs = (parseTimestampMs(since) ?? nowMs) + asked.soakSeconds * 1000
    if (nowMs >= endsMs) return out({ type: 'Phase', to: 'Succeeded', reason: 'Promoted' }, since)
    const message = `${promotion.id.environment}: well since ${since}; it has to stay so until ${timestamp(endsMs)}`
    const blocker = { reason: 'Soaking' as const, subject: subjectOf(promotion), message }
    return out({ type: 'Wait', blockers: [blocker], untilMs: endsMs }, since)
  }
  if (clocked.leftMs <= 0 && !stopped)
    return failed(
      'VerificationFailed',
      `not well within ${shortDuration(asked.timeoutSeconds * 1000)}: ${blockers.map((b) => b.message).join('; ')}`,
    )
  const untilMs = stopped ? {} : { untilMs: nowMs + clocked.leftMs }
  return out({ type: 'Wait', blockers, ...untilMs })
}

function unwell({ promotion, level, stopped, checks }: ConvergeInput): readonly NewBlocker[] {
  if (stopped) return [stopped]
  if (level.type === 'Not' || !isAt(level, promotion)) return notThere(promotion, level)
  return checks
    .filter((c) => c.state !== 'Passed')
    .map(({ name, message, state }) => ({
      reason: 'VerificationRunning' as const,
      subject: subjectOf(promotion),
      message: `check ${name}: ${message || state}`,
    }))
}

/** Running time so far, and what is left of a limit; it does not run while somebody else has to act. */
function ticking({ promotion, stopped, nowMs }: ConvergeInput, limitMs: number) {
  const { runningSince, elapsedMs = 0 } = promotion.status.clock ?? {}
  const running =
    // Stored as a whole number: what a clock says may be none.
    runningSince === undefined
      ? 0
      : Math.round(Math.max(0, nowMs - (parseTimestampMs(runningSince) ?? nowMs)))
  const leftMs = limitMs - elapsedMs - running
  const clock: PromotionStatus['clock'] = stopped
    ? { elapsedMs: elapsedMs + running }
    : { elapsedMs, runningSince: runningSince ?? timestamp(nowMs) }
  return { clock, leftMs }
}
