/** When another revision is due in an environment. What is decided here is stored before anything is done about it. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { EnvironmentStatus } from '../../api/kinds/index.ts'
import { firstRefs, type PromotionObject, pipelineRef } from './promotionref.ts'
import { invalidRequest, type PromotionRequest } from './promotionrequest.ts'
import type { RollbackTarget } from './rollback.ts'

export type EnvironmentIntent = NonNullable<EnvironmentStatus['intent']>

/** An environment that revisions come from. */
export interface SourceObservation {
  readonly name: string
  readonly settled: { readonly revision: string; readonly release?: string | undefined } | undefined
  /** What keeps it from settling, where it is out of reach. */
  readonly unreachable: NewBlocker | undefined
  /** Why it is not at its settled revision: nothing new starts from it meanwhile. */
  readonly unsettled: UnsettledSource | undefined
}

export type UnsettledSource =
  | { readonly because: 'NotReady'; readonly cause: NewBlocker | undefined }
  | { readonly because: 'OtherRevision'; readonly current: string }

/** The greatest epoch that is known from elsewhere: Promotions, branches, pull requests, commits of the base. */
export interface EpochFloor {
  readonly epoch: number
  /** Of that epoch; undefined: it does not say. */
  readonly revision: string | undefined
}

export interface IntentDueInput {
  readonly pipeline: PromotionObject
  readonly environment: string
  readonly intent: EnvironmentIntent | undefined
  readonly sources: readonly SourceObservation[]
  readonly request: PromotionRequest | undefined
  readonly floor: EpochFloor
  /** What was made of the intent ended for another that is not there: `KeyReused`, or superseded by what is gone. */
  readonly isSpent?: boolean
  /** The newest Promotion that somebody has asked for: a status that is gone, or is older, does not have its id any more. */
  readonly lastAsked?: LastAsked | undefined
}

/** A Promotion that was asked for, and with which id. */
export interface LastAsked {
  readonly epoch: number
  readonly id: string
}

export type IntentDue =
  /** `isAsked`: somebody waits for it; else something may be due later. */
  | { readonly type: 'None'; readonly isAsked: boolean; readonly blockers: readonly NewBlocker[] }
  /** `isStated`: somebody names the revision, so that no target has to be read once more. */
  | { readonly type: 'Bump'; readonly intent: EnvironmentIntent; readonly isStated: boolean }

/**
 * Another epoch: what is settled where revisions come from is not what the intent was made of, or somebody asks with an id
 * that is not the intent's, or there has been a later epoch than is known here. The environment itself is never looked at, so
 * that leaving its revision starts nothing.
 */
export function intentDue(input: IntentDueInput): IntentDue {
  const { intent, sources, request, floor, isSpent = false } = input
  const common = commonSource(input)
  const stated = request?.revision
  const isAsked = isNew(input, stated ?? ('revision' in common ? common.revision : undefined))
  const how = { isAsked, isStated: isAsked && stated !== undefined }
  if (isAsked && stated !== undefined)
    return bump(input, { revision: stated, release: undefined }, sourceNow(common, intent), how)
  const isSame = 'blockers' in common || (common.revision === intent?.source && !isAsked)
  if (isSpent && intent && isSame) return again(intent, floor)
  if (isAsked && sources.length === 0)
    return { type: 'None', isAsked, blockers: [impossible(input, NO_SOURCE)] }
  if ('blockers' in common) return { type: 'None', isAsked, blockers: common.blockers }
  const isBehind = isLost(floor, intent) || isAnother(floor, intent)
  if (isAsked || isBehind || common.revision !== intent?.source)
    return bump(input, common, common.revision, how)
  return { type: 'None', isAsked, blockers: outOfReach(sources) }
}

const NO_SOURCE = 'no environment comes before it; name a revision, such as r1=6.0.1'
const NO_PROMOTION = 'the environment has no promotion; set it, or remove the annotation'

const impossible = (
  { pipeline, environment }: Pick<IntentDueInput, 'pipeline' | 'environment'>,
  why: string,
): NewBlocker => invalidRequest(pipeline, environment, why)

/** A request for an environment without promotions. */
export const askedWithoutPromotion = (
  at: Pick<IntentDueInput, 'pipeline' | 'environment'>,
  request: PromotionRequest | undefined,
  intent: EnvironmentIntent | undefined,
): NewBlocker[] =>
  request === undefined || request.id === intent?.requestID ? [] : [impossible(at, NO_PROMOTION)]

/** The same once more, which was decided already, by an epoch that nobody has used. */
const again = (intent: EnvironmentIntent, floor: EpochFloor): IntentDue => ({
  type: 'Bump',
  isStated: true,
  intent: { ...intent, epoch: Math.max(intent.epoch, floor.epoch) + 1 },
})

/** A status that was restored from a backup of another time may have an epoch that was another revision's since. */
const isAnother = (floor: EpochFloor, intent: EnvironmentIntent | undefined): boolean =>
  floor.epoch === intent?.epoch && floor.revision !== undefined && floor.revision !== intent.revision

/** Unchanged after a stated revision, it starts nothing either. */
const sourceNow = (common: IntentBase, intent: EnvironmentIntent | undefined): string | undefined =>
  'blockers' in common ? intent?.source : common.revision

/**
 * Of a stated revision: what would seem new at the source as soon as a cache catches up would go over it. What is not ready takes
 * nothing from what is settled, unless it is at something else.
 */
export const isSourceAt = (
  source: string | undefined,
  targets: readonly { readonly revision: string | undefined }[],
): boolean => targets.every((t) => t.revision === undefined || t.revision === source)

/** The source stays what it was. */
export function keepSource(
  { source: _now, ...due }: EnvironmentIntent,
  before: EnvironmentIntent | undefined,
): EnvironmentIntent {
  return before?.source === undefined ? due : { ...due, source: before.source }
}

/** Nothing new comes from an unreachable source, whatever its revision is. */
const outOfReach = (sources: readonly SourceObservation[]): NewBlocker[] =>
  sources.flatMap((s) => unreachableSource(s) ?? [])

/** The facts are those of its target, with the environment that is followed. */
export function unreachableSource({ name, unreachable }: SourceObservation): NewBlocker | undefined {
  if (unreachable === undefined) return undefined
  const facts = { ...unreachable.facts, environments: [name] }
  return { ...unreachable, reason: 'SourceUnreachable', facts }
}

/**
 * An annotation stays where it is: its id counts once. Where epochs were lost here, Promotions still have the id of the last one that
 * was asked for; the very one that is taken up again is taken up as what was asked for.
 */
function isNew({ request, intent, floor, lastAsked }: IntentDueInput, revision: string | undefined): boolean {
  if (request === undefined || request.id === intent?.requestID) return false
  if (!isLost(floor, intent) || request.id !== lastAsked?.id) return true
  return lastAsked.epoch === floor.epoch && floor.revision === revision
}

/** There has been a later epoch than is known here. */
const isLost = (floor: EpochFloor, intent: EnvironmentIntent | undefined): boolean =>
  floor.epoch > (intent?.epoch ?? 0)

type IntentBase =
  | { readonly revision: string; readonly release: string | undefined }
  | { readonly blockers: readonly NewBlocker[] }

/** What is settled in all of them. */
function commonSource({ pipeline, environment, sources }: IntentDueInput): IntentBase {
  const lost = outOfReach(sources)
  const unsettled = sources.filter((s) => s.settled === undefined)
  if (unsettled.length > 0 && lost.length > 0) return { blockers: lost }
  if (unsettled.length > 0) {
    const environments = unsettled.map((s) => s.name)
    return {
      blockers: [
        blocked('SourceNotSettled', [pipelineRef(pipeline)], { because: 'NothingSettled', environments }),
      ],
    }
  }
  const [first, ...others] = sources
  if (!first?.settled) return { blockers: [] }
  if (others.some((s) => s.settled!.revision !== first.settled!.revision)) {
    const groups = sources.map((s) => ({ revision: s.settled!.revision, names: [s.name], count: 1 }))
    return {
      blockers: [
        blocked('RevisionsDiffer', [pipelineRef(pipeline)], { of: 'Environments', environment, groups }),
      ],
    }
  }
  return { revision: first.settled.revision, release: first.settled.release }
}

/**
 * The next epoch. One that is known from elsewhere and beyond the intent was lost here, with a backup or with the pipeline: it
 * is taken up again where it was for this very revision, so that its key, its branch and its pull request are found.
 */
function bump(
  { intent, request, floor, lastAsked }: IntentDueInput,
  to: { readonly revision: string; readonly release: string | undefined },
  source: string | undefined,
  { isAsked, isStated }: { readonly isAsked: boolean; readonly isStated: boolean },
): IntentDue {
  const known = intent?.epoch ?? 0
  const spent = request?.id ?? (isLost(floor, intent) ? lastAsked?.id : undefined) ?? intent?.requestID
  const isTakenUp = isLost(floor, intent) && floor.revision === to.revision
  return {
    type: 'Bump',
    isStated,
    intent: {
      epoch: isTakenUp ? floor.epoch : Math.max(known, floor.epoch) + 1,
      revision: to.revision,
      ...(to.release === undefined ? {} : { release: to.release }),
      ...(source === undefined ? {} : { source }),
      ...(spent === undefined ? {} : { requestID: spent }),
      ...(isAsked ? { asked: true } : {}),
      ...(isStated ? { stated: true } : {}),
    },
  }
}

/**
 * The way back after a promotion that failed once it was there: the last revision that succeeded. The source stays what it is, so
 * that what failed is not promoted again; what waited behind it is due once more, after the way back.
 */
export const rollbackIntent = (
  intent: EnvironmentIntent,
  to: RollbackTarget,
  failed: { readonly name: string; readonly revision: string; readonly epoch: number },
  floor: EpochFloor,
): EnvironmentIntent => ({
  epoch: Math.max(intent.epoch, floor.epoch) + 1,
  revision: to.revision,
  ...(to.release === undefined ? {} : { release: to.release }),
  ...(intent.source === undefined
    ? {}
    : { source: failed.epoch === intent.epoch ? intent.source : failed.revision }),
  ...(intent.requestID === undefined ? {} : { requestID: intent.requestID }),
  rollbackOf: failed.name,
})

/** A source that is not at its settled revision, or at another than is promoted. */
export function unsettledBlocker(
  pipeline: PromotionObject,
  environment: string,
  { unsettled, revision }: { readonly unsettled: UnsettledSource; readonly revision: string },
): NewBlocker {
  const environments = [environment]
  const ref = pipelineRef(pipeline)
  if (unsettled.because === 'OtherRevision')
    return blocked('SourceNotSettled', [ref], {
      because: 'OtherRevision',
      environments,
      current: unsettled.current,
      revision,
    })
  const { on = [], facts = {}, reason = 'TargetNotReady' } = unsettled.cause ?? {}
  const refs = firstRefs([ref, ...on]) as unknown as Parameters<typeof blocked<'SourceNotSettled'>>[1]
  return blocked('SourceNotSettled', refs, {
    because: 'NotReady',
    environments,
    reason,
    detail: detailOf(facts),
  })
}

/** What an object or a server reports, of any facts. */
export const detailOf = (facts: NewBlocker['facts']): string | undefined =>
  typeof facts.detail === 'string' ? facts.detail : undefined
