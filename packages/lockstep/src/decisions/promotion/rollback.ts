/** What follows where a revision does not stay: the way back after a failure, and a Hold where somebody led it back. */

import { sha256Hex } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { PromotionPhase } from '../../api/kinds/index.ts'
import { isAtRevision } from './environmentrevision.ts'
import { type PromotionObject, pipelineRef, promotionRef } from './promotionref.ts'
import { isEnded } from './promotionstate.ts'
import type { TargetState } from './targetstate.ts'

/** A promotion of an environment. */
export interface LastPromotion {
  readonly name: string
  readonly phase: PromotionPhase
  /** When it ended, in milliseconds of the hub's time; undefined: it has not, or does not say. */
  readonly endedMs?: number | undefined
  /** The phase in which it ended. */
  readonly failedIn: PromotionPhase | undefined
  readonly reason: string | undefined
  readonly message: string | undefined
  readonly epoch: number
  readonly revision: string
  /** What it has brought with it; undefined: it has left releases alone. */
  readonly release?: string | undefined
  /** The promotion that it goes back from; undefined: it is none that goes back. */
  readonly rollbackOf: string | undefined
  readonly rollback: 'Off' | 'OnFailure'
  /** Somebody has asked for it. */
  readonly isAsked: boolean
  /** Its pull request went on with another revision: what is merged may still be this one. */
  readonly isHandedOn: boolean
  /** We have brought it to its base, in Git. */
  readonly isAtBase: boolean
}

/** What was there before: a Module goes back with its release. */
export interface RollbackTarget {
  readonly revision: string
  readonly release: string | undefined
}

export type RollbackWay =
  | { readonly type: 'None' }
  | { readonly type: 'Back'; readonly to: RollbackTarget; readonly failed: LastPromotion }
  | { readonly type: 'NothingToRollBackTo' }

/**
 * Once for each promotion that was there when it failed; what fails on the way back is left for people. What waits behind it does
 * not replace the way back: it may wait for long. What somebody has asked for does.
 */
export function findRollback(
  promotions: readonly LastPromotion[],
  promoted: string | undefined,
): RollbackWay {
  const failed = promotions.findLast(goesBack)
  if (!failed) return { type: 'None' }
  const later = promotions.filter((p) => p.epoch > failed.epoch)
  if (later.some((p) => p.isAsked || p.rollbackOf !== undefined || !isUntouched(p))) return { type: 'None' }
  if (promoted === undefined || promoted === failed.revision) return { type: 'NothingToRollBackTo' }
  const done = lastDone(promotions)
  const release = done?.revision === promoted ? done.release : undefined
  return { type: 'Back', to: { revision: promoted, release }, failed }
}

const goesBack = ({ phase, failedIn, rollback, rollbackOf }: LastPromotion): boolean =>
  phase === 'Failed' &&
  rollback === 'OnFailure' &&
  rollbackOf === undefined &&
  (failedIn === 'Converging' || failedIn === 'Verifying')

/** Nothing was done for it. */
const isUntouched = ({ phase, failedIn }: LastPromotion): boolean =>
  BEFORE_EFFECTS.has(phase) || (phase === 'Superseded' && BEFORE_EFFECTS.has(failedIn ?? 'Pending'))

const BEFORE_EFFECTS: ReadonlySet<PromotionPhase> = new Set(['Pending', 'Prepared'])

/** The name and the text of a Hold that is made without anybody asking for it. */
export interface AutomaticHold {
  readonly name: string
  readonly reason: string
  /** The promotion that passes it. */
  readonly passedBy: string | undefined
}

/** Where another pipeline's Hold has that name: `a` may have an environment `b-c`, and `a-b` an environment `c`. */
export const ownHoldName = (name: string, pipeline: string, environment: string): string =>
  `${name}-${sha256Hex(`${pipeline}\n${environment}`).slice(0, 8)}`

/** The epoch of what was left, as the name of its Hold has it; undefined: it is none of these names. */
export function epochOfHold(name: string): number | undefined {
  const [, epoch] = /-(\d+)-(?:left|rollback|reverted)(?:-[0-9a-f]{8})?$/.exec(name) ?? []
  return epoch === undefined ? undefined : Number(epoch)
}

/** The last one that succeeded: what is said to be in the environment. */
export const lastDone = (promotions: readonly LastPromotion[]): LastPromotion | undefined =>
  promotions.findLast((p) => p.phase === 'Succeeded')

/** A target, and whether it was out of reach when the others arrived, or is new: it has not left anything yet. */
export interface DivergenceTarget extends Pick<TargetState, 'state' | 'revision'> {
  readonly isBehind: boolean
}

export interface DivergenceInput {
  /** Of the environment, earlier epochs first. */
  readonly promotions: readonly LastPromotion[]
  readonly targets: readonly DivergenceTarget[]
  readonly arrived: string | undefined
  /** What has been said: the promotion that was left, and to where; of old statuses only the first is known. */
  readonly said?: { readonly name: string; readonly to: readonly string[] | undefined } | undefined
  /** Revision of an intent whose promotion is not there: somebody has deleted it, and it is made anew. */
  readonly intended?: string | undefined
}

/** As the status of an environment has it. */
export const recordedDivergence = (
  status: { readonly left?: string | undefined; readonly leftTo?: readonly string[] | undefined } | undefined,
): DivergenceInput['said'] =>
  status?.left === undefined ? undefined : { name: status.left, to: status.leftTo }

/** Revisions of one success that are kept: of more the oldest is said once more. */
const MOST_SAID = 20

/** Without those that no target is at any more: led there again, it is said again. What a target that is not ready is at may be wrong. */
export function retainDivergence(
  said: DivergenceInput['said'],
  targets: readonly Pick<DivergenceTarget, 'state' | 'revision'>[],
): DivergenceInput['said'] {
  if (said?.to === undefined || targets.some((t) => t.state !== 'Ready')) return said
  return { ...said, to: said.to.filter((to) => targets.some((t) => t.revision === to)) }
}

/** With one more that it was led to. */
export function recordDivergence(
  before: DivergenceInput['said'],
  { from, to }: Divergence,
): { left: string; leftTo: string[] } {
  const known = before?.name === from.name ? (before.to ?? []) : []
  return { left: from.name, leftTo: [...known, to].slice(-MOST_SAID) }
}

/** Away from what was promoted, and to what. */
export interface Divergence {
  readonly from: LastPromotion
  readonly to: string
}

/**
 * The environment was at what succeeded last, and a target of it is at something else that no promotion has brought there: somebody
 * led it elsewhere. What happened to later promotions does not matter, unless they may have brought it; one that is converging
 * changes targets itself, and has its deadline. Undefined: it has not left, or all that is said.
 */
export function detectDivergence({
  promotions,
  targets,
  arrived,
  said,
  intended,
}: DivergenceInput): Divergence | undefined {
  const from = lastDone(promotions)
  if (!from || arrived !== from.name) return undefined
  const known = said?.name === from.name ? said : undefined
  if (known && known.to === undefined) return undefined
  const later = promotions.filter((p) => p.epoch > from.epoch)
  if (later.some((p) => p.phase === 'Converging' || p.phase === 'Verifying')) return undefined
  const brought = [from, ...later.filter((p, i) => mayBeThere(p, i === later.length - 1))]
  const away = targets.find(
    ({ state, revision, isBehind }) =>
      state === 'Ready' &&
      !isBehind &&
      revision !== undefined &&
      known?.to?.includes(revision) !== true &&
      !brought.some((p) => isAtRevision(revision, p.revision)) &&
      (intended === undefined || !isAtRevision(revision, intended)),
  )
  return away && { from, to: away.revision! }
}

/** Something of it was, or may have been, done; whoever is at what the newest is on its way to, is where everybody wants it. */
function mayBeThere({ phase, failedIn, isHandedOn }: LastPromotion, isNewest: boolean): boolean {
  if (isHandedOn) return true
  if (!isEnded(phase)) return isNewest || phase !== 'Pending'
  if (phase === 'Rejected') return false
  return failedIn === 'Applying' || (phase !== 'Superseded' && EFFECTS.has(failedIn ?? 'Pending'))
}

const EFFECTS: ReadonlySet<PromotionPhase> = new Set(['Applying', 'Open', 'Converging', 'Verifying'])

/** Named by what was left: said once for each revision that it is led to, whatever becomes of later promotions. */
export const divergenceHold = (
  pipeline: string,
  environment: string,
  { from, to }: Divergence,
): AutomaticHold => ({
  name: `${pipeline}-${environment}-${from.epoch}-left`,
  passedBy: undefined,
  reason: `${environment} changed from ${from.revision} to ${to} outside Lockstep; promotions are suspended until this Hold is deleted, or a promotion is requested: lockstep promote ${pipeline} --to ${environment}`,
})

/** A promotion has failed, and one that goes back is the only one that may pass. */
export const rollbackHold = (
  pipeline: string,
  environment: string,
  last: LastPromotion,
  passedBy: string,
): AutomaticHold => ({
  name: `${pipeline}-${environment}-${last.epoch}-rollback`,
  passedBy,
  reason: `${last.revision} failed in ${environment} (${last.message ?? last.reason ?? 'no reason given'}); it is rolled back, and promotions are suspended until this Hold is deleted, or a promotion is requested for: lockstep promote ${pipeline} --to ${environment}`,
})

/** What the base has to have, since nothing that came later may have changed it. Undefined: nothing is known of that. */
export function lastAtBase(promotions: readonly LastPromotion[], before: number): LastPromotion | undefined {
  const done = lastDone(promotions)
  if (!done?.isAtBase || done.epoch >= before) return undefined
  const later = promotions.filter((p) => p.epoch > done.epoch && p.epoch < before)
  return later.some((p) => mayBeThere(p, false) && !isUntouched(p)) ? undefined : done
}

/** What somebody took back before it was known to be there, and what has not been said; people who ask have seen it. */
export function unrecordedRevert(
  promotions: readonly LastPromotion[],
  said: readonly (string | undefined)[],
): LastPromotion | undefined {
  const last = promotions.findLast((p) => p.reason === 'RevertedInGit')
  if (!last || said.includes(last.name)) return undefined
  const later = promotions.filter((p) => p.epoch > last.epoch)
  return later.some((p) => p.isAsked || p.phase === 'Succeeded') ? undefined : last
}

/** The base has lost what was promoted: somebody took it back in Git. */
export const revertedHold = (pipeline: string, environment: string, last: LastPromotion): AutomaticHold => ({
  name: `${pipeline}-${environment}-${last.epoch}-reverted`,
  passedBy: undefined,
  reason: `${last.revision} was reverted at the base of ${environment}; promotions are suspended until this Hold is deleted, or a promotion is requested: lockstep promote ${pipeline} --to ${environment}`,
})

/** A revision that follows a rollback waits for its end. */
export const rollingBack = (
  promotion: PromotionObject,
  facts: { readonly environment: string; readonly revision: string; readonly phase: string },
): NewBlocker =>
  blocked(
    'PromotionInProgress',
    [promotionRef(promotion)],
    Object.assign({ because: 'RollingBack' as const }, facts),
  )

/** The first promotion of an environment failed. */
export const noRollback = (pipeline: PromotionObject, environment: string): NewBlocker =>
  blocked('NothingToRollBackTo', [pipelineRef(pipeline)], {
    environment,
    command: `lockstep promote ${pipeline.name} --to ${environment}`,
  })
