/** Strategy push: a commit onto the branch itself, whose place is a compare-and-swap. */
import { blocked } from '../../api/blocker.ts'
import {
  failedStep,
  type NewerPromotion,
  type PromotionHold,
  type PromotionState,
  type PromotionStep,
  revertedFacts,
  whileHeld,
} from './promotionstate.ts'
import { type BaseObservation, ofBase } from './pullrequest/pullrequestlookup.ts'

export interface PushInput {
  readonly promotion: PromotionState
  readonly newer: NewerPromotion | undefined
  readonly base: BaseObservation
  /** What keeps us from pushing, also once that was to be: a push that is refused is tried for long. */
  readonly held: PromotionHold | undefined
  readonly nowMs: number
}

export function pushStep({ promotion, newer, base, held, nowMs }: PushInput): PromotionStep {
  const { intent } = promotion.status
  const found = ofBase(base)
  if (found?.type === 'Present')
    return {
      type: 'Phase',
      to: 'Converging',
      result: found.ours ? { commit: base.head } : { alreadyAtRevision: true },
    }
  if (found?.type === 'Replaced')
    return {
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `branch is at ${found.by} of a later epoch`,
    }
  if (found)
    return failedStep(blocked('RevertedInGit', [], { because: 'Branch', ...revertedFacts(promotion) }))
  if (newer)
    return {
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `nothing was pushed: superseded by ${newer.revision}, Promotion ${newer.name}`,
    }
  // Made ready once it may be done: a base may move often meanwhile.
  if (held && promotion.phase === 'Applying') return whileHeld(held, nowMs)
  if (base.isRewritten || intent?.base !== base.head) return { type: 'Rebuild', previous: undefined }
  if (promotion.phase !== 'Applying') return { type: 'Phase', to: 'Applying' }
  return { type: 'Effect', effect: { type: 'Push' } }
}
