/** May a promotion begin: before its first phase ends nothing is prepared, and nothing is asked of anybody. */

import { isNamed } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { SourceObservation } from './environmentintent.ts'
import { type NewerPromotion, type PromotionState, type PromotionStep, subjectOf } from './promotionstate.ts'
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
    readonly text: string
  }
}

/** Message of reason Held: a Hold on a Pipeline always suspends. */
export const heldText = ({ name, reason }: EnvironmentHold): string => `suspended by Hold ${name}: ${reason}`

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
      message: `before anything was done, ${newer.revision} followed: Promotion ${newer.name}`,
    }
  const blockers = beginBlockers(input)
  if (blockers.length === 0) return { type: 'Prepare' }
  const isWindow = blockers.some((b) => b.reason === 'WindowClosed')
  const ends = [isWindow ? window.changesAtMs : undefined, ...input.holds.map((h) => h.untilMs)]
  const untilMs = ends.flatMap((e) => (e === undefined ? [] : [e]))
  return { type: 'Wait', blockers, ...(untilMs.length === 0 ? {} : { untilMs: Math.min(...untilMs) }) }
}

function beginBlockers(input: BeginInput): NewBlocker[] {
  const { promotion, running, holds, window } = input
  const { environment, revision } = promotion.id
  const subject = subjectOf(promotion)
  const out: NewBlocker[] = []
  const add = (reason: NewBlocker['reason'], message: string, of = subject) =>
    void out.push({ reason, subject: of, message: `${environment}: ${message}` })
  const hold = heldBy(holds, environment, promotion.name)
  for (const source of input.sources) {
    if (source.unreachable) out.push({ ...source.unreachable, reason: 'SourceUnreachable' })
    else if (source.settled?.revision !== revision)
      add(
        'SourceNotSettled',
        `${revision} is not settled in ${source.name} any more`,
        `Environment/${source.name}`,
      )
    else if (source.unsettled !== undefined)
      add('SourceNotSettled', source.unsettled, `Environment/${source.name}`)
    const held = heldBy(holds, source.name, undefined)
    if (held && held !== hold)
      add('SourceNotSettled', `${source.name} is held: ${held.reason}`, `Hold/${held.name}`)
  }
  const [before] = running
  if (before)
    add(
      'PromotionInProgress',
      `Promotion ${before.name} has to end first: it is ${before.phase}`,
      `Promotion/${before.name}`,
    )
  if (input.goesBack)
    add(
      'PromotionInProgress',
      `${input.goesBack.revision} has failed, and what was there before comes back first`,
      `Promotion/${input.goesBack.name}`,
    )
  for (const t of input.lost.slice(0, 3)) add('TargetUnreachable', t.message)
  if (hold) add('Held', heldText(hold), `Hold/${hold.name}`)
  const consent = approvalBlocker(input)
  if (consent) out.push(consent)
  if (!window.isOpen) add('WindowClosed', window.text)
  return out
}

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
  const subject = subjectOf(promotion)
  if (!other)
    return { reason: 'AwaitingApproval', subject, message: `${id.environment}: ${id.revision}: ${command}` }
  const message = `${id.environment}: Approval ${other.name} is for ${other.key.slice(0, 10)}, this is ${key.slice(0, 10)}: ${command}`
  return { reason: 'ApprovalForOtherRevision', subject, message }
}

/** `opens`: as clocks show it in the place whose window that is (ADR 0050). */
export const windowText = (opens: string | undefined): string =>
  opens === undefined ? 'its windows do not open within 366 days' : `next opens ${opens}`
