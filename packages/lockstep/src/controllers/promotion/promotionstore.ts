/** A Promotion's status: each change is one compare-and-swap, and what comes next starts only after it. */

import { type Stored, timestamp } from '@lockstep/kube/object'
import { type Blocker, keepSince, type NewBlocker } from '../../api/blocker.ts'
import { mergeConditions, type NewCondition } from '../../api/conditions.ts'
import type { Promotion, PromotionPhase, PromotionStatus } from '../../api/kinds/index.ts'
import { isEnded, type PromotionStep } from '../../decisions/promotion/index.ts'
import type { StatusResult } from '../runtime/index.ts'
import type { PromotionDeps } from './promotiondeps.ts'

export type PhaseStep = Extract<PromotionStep, { readonly type: 'Phase' }>

/** So long what a lost answer has left behind at a host is looked for, in milliseconds: ten minutes, and the look after them. */
export const SWEEP_MS = 660_000

/** The status after a phase has begun: what was counted in the one before is over. */
export function enterPhase(promotion: Stored<Promotion>, step: PhaseStep, nowMs: number): PromotionStatus {
  const old = promotion.status ?? {}
  const { attempt, nextAttempt, clock, wellSince, reason, message, blockers, ...kept } = old
  const ended = isEnded(step.to)
  // From then on nothing new is opened, and what was opened twice may still come to light.
  const { branch } = step.intent ?? old.intent ?? {}
  const isSwept = branch !== undefined && (ended || step.to === 'Converging') && !old.sweepUntil
  return withConditions(
    {
      ...kept,
      phase: step.to,
      since: timestamp(nowMs),
      ...(ended ? { endedIn: old.phase ?? 'Pending' } : {}),
      ...(isSwept ? { sweepUntil: timestamp(nowMs + SWEEP_MS) } : {}),
      ...(step.reason === undefined ? {} : { reason: step.reason }),
      ...(step.message === undefined ? {} : { message: step.message.slice(0, 4096) }),
      ...(step.intent === undefined ? {} : { intent: step.intent }),
      ...(step.result === undefined ? {} : { result: { ...old.result, ...step.result } }),
    },
    promotion,
    nowMs,
  )
}

/** The status with other blockers. */
export function withBlockers(
  promotion: Stored<Promotion>,
  status: PromotionStatus,
  blockers: readonly NewBlocker[],
  nowMs: number,
): PromotionStatus {
  const { blockers: old, ...rest } = status
  const next =
    blockers.length === 0 ? {} : { blockers: keepSince(blockers.slice(0, 10), old, timestamp(nowMs)) }
  const phase = { phase: rest.phase ?? 'Pending', since: rest.since ?? timestamp(nowMs) } as const
  return withConditions({ ...rest, ...phase, ...next }, promotion, nowMs)
}

export function withConditions(
  status: PromotionStatus,
  { metadata, status: old }: Stored<Promotion>,
  nowMs: number,
): PromotionStatus {
  const generation = metadata.generation ?? 0
  return {
    ...status,
    observedGeneration: generation,
    conditions: mergeConditions(old?.conditions, conditionsOf(status, generation), timestamp(nowMs)),
  }
}

function conditionsOf(status: PromotionStatus, observedGeneration: number): NewCondition[] {
  const phase: PromotionPhase = status.phase ?? 'Pending'
  const [blocker] = (status.blockers ?? []) as Blocker[]
  const said = (type: string, is: boolean, reason: string, message: string): NewCondition => ({
    type,
    status: is ? 'True' : 'False',
    reason,
    message,
    observedGeneration,
  })
  const done = phase === 'Succeeded'
  const dead = isEnded(phase) && !done
  const reason = isEnded(phase) ? (status.reason ?? phase) : (blocker?.reason ?? phase)
  const message = isEnded(phase) ? (status.message ?? '') : (blocker?.message ?? '')
  return [
    said('Ready', done, reason, message || phase),
    said('Reconciling', !isEnded(phase), reason, isEnded(phase) ? '' : message),
    said('Stalled', dead, reason, dead ? message : ''),
  ]
}

export const updatePromotionStore = (
  { status }: Pick<PromotionDeps, 'status'>,
  promotion: Stored<Promotion>,
  next: PromotionStatus,
): Promise<StatusResult<Promotion>> => status.update('promotions', promotion, next)
