/** May a promotion begin: before its first phase ends nothing is prepared, and nothing is asked of anybody. */

import { isNamed } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { type SourceObservation, unreachableSource, unsettledBlocker } from './environmentintent.ts'
import { holdRef, pipelineRef, promotionRef } from './promotionref.ts'
import type { NewerPromotion, PromotionState, PromotionStep } from './promotionstate.ts'
import type { TargetState } from './targetstate.ts'

/** A Hold on the pipeline, that is in force. */
export interface EnvironmentHold {
  readonly name: string
  readonly reason: string
  /** Undefined: all. */
  readonly environments: readonly string[] | undefined
  /** Made by a promotion that goes back: that one passes it. */
  readonly passedBy: string | undefined
  /** Wall clock, milliseconds. */
  readonly untilMs: number | undefined
}

export interface ObservedApproval {
  readonly name: string
  /** In full, or its first digits. */
  readonly key: string
}

export interface BeginInput {
  readonly promotion: PromotionState
  readonly pipeline: string
  readonly namespace: string
  readonly newer: NewerPromotion | undefined
  /** It has succeeded already, and its status is gone since. */
  readonly isForgotten?: boolean
  /** Others of the environment that have not ended, earlier ones first. */
  readonly running: readonly { readonly name: string; readonly phase: string }[]
  /** Where the revision comes from; empty where it was stated, or is a way back. */
  readonly sources: readonly SourceObservation[]
  /** Targets that cannot be read, where that counts. */
  readonly lost: readonly TargetState[]
  readonly holds: readonly EnvironmentHold[]
  readonly consents: readonly ObservedApproval[]
  /** An earlier one that has failed, and from which it goes back first. */
  readonly goesBack: { readonly name: string; readonly revision: string } | undefined
  readonly window: {
    readonly isOpen: boolean
    readonly changesAtMs: number | undefined
    /** As clocks show it in the place whose window that is (ADR 0050); undefined: not within 366 days. */
    readonly opens: string | undefined
  }
}

export const heldBy = (
  holds: readonly EnvironmentHold[],
  environment: string,
  promotion: string | undefined,
): EnvironmentHold | undefined =>
  holds.find(
    (h) =>
      (h.environments === undefined || h.environments.includes(environment)) &&
      (h.passedBy === undefined || h.passedBy !== promotion),
  )

export function begin(input: BeginInput): PromotionStep {
  const { newer, window } = input
  if (newer && input.isForgotten) return { type: 'Phase', to: 'Succeeded', reason: 'Promoted' }
  if (newer)
    return {
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `not started: superseded by ${newer.revision}, Promotion ${newer.name}`,
    }
  const blockers = beginBlockers(input)
  if (blockers.length === 0) return { type: 'Prepare' }
  const isWindow = blockers.some((b) => b.reason === 'WindowClosed')
  const ends = [isWindow ? window.changesAtMs : undefined, ...input.holds.map((h) => h.untilMs)]
  const untilMs = ends.flatMap((e) => (e === undefined ? [] : [e]))
  return { type: 'Wait', blockers, ...(untilMs.length === 0 ? {} : { untilMs: Math.min(...untilMs) }) }
}

function beginBlockers(input: BeginInput): NewBlocker[] {
  const { promotion, running, holds, window, namespace } = input
  const { environment } = promotion.id
  const hold = heldBy(holds, environment, promotion.name)
  const out = input.sources.flatMap((source) => sourceBlockers(source, hold, input))
  const [before] = running
  if (before)
    out.push(
      blocked('PromotionInProgress', [promotionRef({ namespace, name: before.name })], {
        because: 'Earlier',
        environment,
        phase: before.phase,
      }),
    )
  if (input.goesBack) {
    const { name, revision } = input.goesBack
    out.push(
      blocked('PromotionInProgress', [promotionRef({ namespace, name })], {
        because: 'RollsBackFirst',
        environment,
        revision,
      }),
    )
  }
  for (const t of input.lost.slice(0, 3)) if (t.blocker) out.push(t.blocker)
  if (hold) out.push(heldBlocker(namespace, hold))
  const consent = approvalBlocker(input)
  if (consent) out.push(consent)
  if (!window.isOpen) out.push(windowBlocker(promotion, window))
  return out
}

/** Blockers of one environment that the revision comes from. `hold`: on the environment itself. */
function sourceBlockers(
  source: SourceObservation,
  hold: EnvironmentHold | undefined,
  { promotion, holds, pipeline, namespace }: BeginInput,
): NewBlocker[] {
  const { revision } = promotion.id
  const at = { namespace, name: pipeline }
  const environments = [source.name]
  const out: NewBlocker[] = []
  const lost = unreachableSource(source)
  if (lost) out.push(lost)
  else if (source.settled?.revision !== revision)
    out.push(
      blocked('SourceNotSettled', [pipelineRef(at)], { because: 'OtherSettled', environments, revision }),
    )
  else if (source.unsettled !== undefined)
    out.push(unsettledBlocker(at, source.name, { unsettled: source.unsettled, revision }))
  const held = heldBy(holds, source.name, undefined)
  if (held && held !== hold) {
    const ref = holdRef({ namespace, name: held.name })
    out.push(blocked('SourceNotSettled', [ref, pipelineRef(at)], { because: 'Held', environments }))
  }
  return out
}

/** A Hold on the environment of a promotion: one on a Pipeline always suspends. */
export const heldBlocker = (
  namespace: string,
  { name, reason }: Pick<EnvironmentHold, 'name' | 'reason'>,
): NewBlocker => blocked('Held', [holdRef({ namespace, name })], { action: 'Suspend', reason })

export const windowBlocker = ({ id }: PromotionState, { opens }: BeginInput['window']): NewBlocker =>
  blocked('WindowClosed', [{ kind: 'Time', name: opens ?? 'unknown' }], {
    environment: id.environment,
    opens,
  })

/** It counts for this promotion alone: the consent to epoch 3 does not open epoch 4, whatever their revisions. */
export function approvalBlocker({
  promotion,
  pipeline,
  namespace,
  consents,
}: Pick<BeginInput, 'promotion' | 'pipeline' | 'namespace' | 'consents'>): NewBlocker | undefined {
  const { key, id, settings } = promotion
  if (settings.approval !== 'Required' || promotion.isRollback) return undefined
  if (consents.some((c) => isNamed(key, c.key))) return undefined
  const command = `lockstep rollout approve pipeline/${pipeline} --stage ${id.environment} -n ${namespace}`
  const other = consents[0]
  const { environment, revision } = id
  if (!other)
    return blocked('AwaitingApproval', [promotionRef(promotion)], { environment, revision, command })
  return blocked('ApprovalForOtherRevision', [{ kind: 'Approval', name: other.name, namespace }], {
    environment,
    approved: other.key.slice(0, 10),
    revision: key.slice(0, 10),
    command,
  })
}
