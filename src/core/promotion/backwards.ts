/** What follows where a revision does not stay: the way back after a failure, and a Hold where somebody led it back. */
import type { EnvironmentStatus } from '../../api/kinds/pipeline.ts'
import type { Phase } from '../../api/kinds/promotion.ts'
import { isAtRevision, type Level } from './levels.ts'

/** The newest promotion of an environment. */
export interface LastPromotion {
  readonly name: string
  readonly phase: Phase
  /** When it ended, in milliseconds of the hub's time; undefined: it has not, or does not say. */
  readonly endedMs?: number | undefined
  /** The phase in which it failed. */
  readonly failedIn: Phase | undefined
  readonly reason: string | undefined
  readonly message: string | undefined
  readonly epoch: number
  readonly revision: string
  readonly isRollback: boolean
  readonly rollback: 'Off' | 'OnFailure'
}

export type Way =
  | { readonly type: 'None' }
  | { readonly type: 'Back'; readonly to: string }
  | { readonly type: 'NothingToRollBackTo' }

/** Once for each promotion that was there when it failed; what fails on the way back is left for people. */
export function wayBack(last: LastPromotion | undefined, promoted: string | undefined): Way {
  if (last?.phase !== 'Failed' || last.isRollback || last.rollback !== 'OnFailure') return { type: 'None' }
  if (last.failedIn !== 'Converging' && last.failedIn !== 'Verifying') return { type: 'None' }
  if (promoted === undefined || promoted === last.revision) return { type: 'NothingToRollBackTo' }
  return { type: 'Back', to: promoted }
}

/** The name and the text of a Hold that is made without anybody asking for it. */
export interface AutomaticHold {
  readonly name: string
  readonly reason: string
  /** The promotion that passes it. */
  readonly passedBy: string | undefined
}

export interface LeftInput {
  readonly environment: string
  readonly pipeline: string
  readonly last: LastPromotion | undefined
  readonly level: Level
  readonly status: Pick<EnvironmentStatus, 'promoted' | 'arrived' | 'left'>
}

/**
 * The environment was at what was promoted last, and is at something else, although nothing new came from its source: somebody
 * led it elsewhere. Undefined: it has not left, or that was said already.
 */
export function leftBy({ environment, pipeline, last, level, status }: LeftInput): AutomaticHold | undefined {
  if (level.type !== 'At' || last?.phase !== 'Succeeded') return undefined
  if (isAtRevision(level.revision, last.revision) || status.arrived !== last.name) return undefined
  if (status.left === last.name) return undefined
  return {
    name: `${pipeline}-${environment}-${last.epoch}-left`,
    passedBy: undefined,
    reason: `${environment} was led from ${last.revision} to ${level.revision} by somebody else; nothing is promoted there until this Hold is deleted, or a promotion is asked for: lockstep promote ${pipeline} --to ${environment}`,
  }
}

/** A promotion has failed, and one that goes back is the only one that may pass. */
export const rollbackHold = (
  pipeline: string,
  environment: string,
  last: LastPromotion,
  passedBy: string,
): AutomaticHold => ({
  name: `${pipeline}-${environment}-${last.epoch}-rollback`,
  passedBy,
  reason: `${last.revision} failed in ${environment} (${last.message ?? last.reason ?? 'no reason given'}); it goes back, and nothing else is promoted until this Hold is deleted`,
})

/** The base has lost what was promoted: somebody took it back in Git. */
export const revertedHold = (pipeline: string, environment: string, last: LastPromotion): AutomaticHold => ({
  name: `${pipeline}-${environment}-${last.epoch}-reverted`,
  passedBy: undefined,
  reason: `${last.revision} was taken back at the base of ${environment}; nothing is promoted there until this Hold is deleted, or a promotion is asked for: lockstep promote ${pipeline} --to ${environment}`,
})
