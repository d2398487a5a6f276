/** Where an environment is made from the repository that its own promotions change: what they have put there is nothing new. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { keyOfPromotion } from './promotionkey.ts'
import { type PromotionObject, pipelineRef } from './promotionref.ts'
import { trailersOf } from './trailers.ts'

/** The commit of a revision, as Flux and Lockstep write it: `main@sha1:9b1c…`, `sha1:9b1c…`. Undefined: it names none. */
export const commitOfRevision = (revision: string): string | undefined =>
  /(?:^|[@/])(?:sha(?:1|256):)?([0-9a-f]{64}|[0-9a-f]{40})$/.exec(revision)?.[1]

export interface ObservedCommit {
  readonly message: string
  readonly parents: readonly string[]
}

/**
 * All commits that came since are promotions of this identity. A merge brings nothing that its parents do not have, and says
 * what whoever has merged likes.
 */
export function isCausedByPromotion(identity: string, commits: readonly ObservedCommit[]): boolean {
  const own = commits.filter((c) => c.parents.length < 2 || trailersOf(c.message) !== undefined)
  return own.length > 0 && own.every((c) => isOf(identity, c.message))
}

function isOf(identity: string, message: string): boolean {
  const t = trailersOf(message)
  return t !== undefined && t.key === keyOfPromotion({ identity, ...t })
}

export const loopGuardBlocker = (
  pipeline: PromotionObject,
  environment: string,
  from: string,
  revision: string,
): NewBlocker => blocked('CausedByPromotion', [pipelineRef(pipeline)], { environment, from, revision })
