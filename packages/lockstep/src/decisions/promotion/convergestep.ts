/** After the effect: until all targets are at the revision, and as long as they have to stay well. */

import { parseTimestampMs, timestamp } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { PromotionStatus } from '../../api/kinds/index.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import { detailOf } from './environmentintent.ts'
import { type EnvironmentRevision, isAtRevision } from './environmentrevision.ts'
import { promotionRef } from './promotionref.ts'
import { failedStep, type NewerPromotion, type PromotionState, type PromotionStep } from './promotionstate.ts'

export interface CheckResult {
  readonly name: string
  readonly state: 'Starting' | 'Running' | 'Passed' | 'Failed'
  readonly message: string
  /** A failure that will not become another: a Job that has ended. */
  readonly isFinal: boolean
}

export interface ConvergeInput {
  readonly promotion: PromotionState
  readonly level: EnvironmentRevision
  /** The first targets of the environment. */
  readonly targets: readonly WaitRefOf<'Object'>[]
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
  const blockers = stopped ? [stopped] : notThere(input)
  if (leftMs <= 0 && !stopped)
    return out(
      failedStep(
        blocked('ConvergeDeadlineExceeded', refsOf(blockers), {
          revision: promotion.id.revision,
          seconds: promotion.settings.convergeDeadlineSeconds,
          ...lackOf(blockers),
          current: level.type === 'At' ? level.revision : undefined,
        }),
      ),
    )
  return out({ type: 'Wait', blockers, ...(stopped ? {} : { untilMs: nowMs + leftMs }) })
}

/** Its deadline starts with the first target: a manual promotion has no deadline before. */
function awaitPeople({ promotion, level, targets, stopped, newer }: ConvergeInput): ConvergeResult {
  const { id } = promotion
  // One that ran before somebody took it back again is over, too.
  const out = (step: PromotionStep): ConvergeResult => ({ step, clock: undefined, wellSince: undefined })
  if (newer)
    return out({
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `no target was at ${id.revision}: superseded by ${newer.revision}, Promotion ${newer.name}`,
    })
  if (stopped) return out({ type: 'Wait', blockers: [stopped] })
  const { environment, revision } = id
  const current = level.type === 'At' ? level.revision : undefined
  const blocker = blocked('AwaitingManualPromotion', targets, { environment, revision, current })
  return out({ type: 'Wait', blockers: [blocker] })
}

const isAt = ({ revision }: Extract<EnvironmentRevision, { type: 'At' }>, { id }: PromotionState): boolean =>
  isAtRevision(revision, id.revision)

function notThere({ promotion: { id }, level, targets }: ConvergeInput): readonly NewBlocker[] {
  if (level.type === 'Not') return level.blockers
  const { environment, revision } = id
  const facts = { because: 'OtherRevision', environment, current: level.revision, revision } as const
  return [blocked('TargetNotReady', targets, facts)]
}

/** Objects and clusters of blockers; the first blocker names the cause. */
const refsOf = (blockers: readonly NewBlocker[]) =>
  (blockers[0]?.on ?? []).filter((r) => r.kind === 'Object' || r.kind === 'Cluster' || r.kind === 'Hold') as (
    | WaitRefOf<'Object'>
    | WaitRefOf<'Cluster'>
    | WaitRefOf<'Hold'>
  )[]

const lackOf = ([first]: readonly NewBlocker[]) => ({
  reason: first?.reason ?? 'TargetNotReady',
  detail: detailOf(first?.facts ?? {}),
})

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
  if (!asked) return out({ type: 'Phase', to: 'Succeeded', reason: 'Promoted' })
  const dead = checks.find((c) => c.isFinal && c.state === 'Failed')
  if (dead)
    return out(
      failedStep(
        blocked('VerificationFailed', [], { because: 'Check', check: dead.name, detail: dead.message }),
      ),
    )
  const blockers = unwell(input)
  if (blockers.length === 0) {
    const since = promotion.status.wellSince ?? timestamp(nowMs)
    const endsMs = (parseTimestampMs(since) ?? nowMs) + asked.soakSeconds * 1000
    if (nowMs >= endsMs) return out({ type: 'Phase', to: 'Succeeded', reason: 'Promoted' }, since)
    const { environment, revision } = promotion.id
    const ends = [{ kind: 'Time', name: timestamp(endsMs) }] as const
    const blocker = blocked('Soaking', ends, { environment, revision, since })
    return out({ type: 'Wait', blockers: [blocker], untilMs: endsMs }, since)
  }
  if (clocked.leftMs <= 0 && !stopped)
    return out(
      failedStep(
        blocked('VerificationFailed', refsOf(blockers), {
          because: 'Timeout',
          seconds: asked.timeoutSeconds,
          check: checkOf(blockers),
          ...lackOf(blockers),
        }),
      ),
    )
  const untilMs = stopped ? {} : { untilMs: nowMs + clocked.leftMs }
  return out({ type: 'Wait', blockers, ...untilMs })
}

function unwell(input: ConvergeInput): readonly NewBlocker[] {
  const { promotion, level, stopped, checks } = input
  if (stopped) return [stopped]
  if (level.type === 'Not' || !isAt(level, promotion)) return notThere(input)
  return checks.flatMap(({ name: check, message: detail, state }) =>
    state === 'Passed'
      ? []
      : [
          blocked('VerificationRunning', [promotionRef(promotion)], {
            because: 'Check',
            check,
            state,
            detail,
          }),
        ],
  )
}

const checkOf = ([first]: readonly NewBlocker[]): string | undefined =>
  first?.reason === 'VerificationRunning' ? String(first.facts?.check) : undefined

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
