/** What becomes of Holds and Approvals, for their status. */

import { type Digest, isNamed, short10 } from '@lockstep/kube/object'
import { APPROVAL_VALID, HOLD_ACTIVE, type NewCondition } from '../../../api/conditions.ts'
import { messageOf, type ReasonFact, textOf } from '../../../api/reasons/index.ts'
import { namedModule } from '../../graph/index.ts'
import type { RolloutPolicy } from '../policy.ts'
import type { ApprovalView, StageState } from '../types.ts'
import { activeHolds, type HoldView } from '../unitholds.ts'
import { approvalRef, holdRef, PRUNE_STAGE } from './approvals.ts'

/** A module as those who hold it or consent to it see it; undefined: it is not there. */
export interface ApprovalTarget {
  /** What is published, where the fleet is to be, and what clusters have: revisions that a consent may be for. */
  readonly revisions: readonly Digest[]
  /** Those of them to which deletions may be consented: what clusters have. */
  readonly admitted: readonly Digest[]
  readonly policy: RolloutPolicy
  /** Of the rollout under way; empty: it has none. */
  readonly stages: readonly StageState[]
}

export interface HoldStatusResult {
  /** Names of the clusters on which it acts, sorted. */
  readonly clusters: readonly string[]
  readonly condition: Omit<NewCondition, 'observedGeneration'>
}

/** Which clusters of the module a Hold acts on, beside all others. `clusters`: those of the module. */
export function holdStatusOf(
  hold: HoldView,
  all: readonly HoldView[],
  clusters: readonly string[],
  nowMs: number,
): HoldStatusResult {
  const said = (
    isActive: boolean,
    reason: string,
    message: string,
    on: readonly string[] = [],
  ): HoldStatusResult => ({
    clusters: [...on].sort(),
    condition: { type: HOLD_ACTIVE, status: isActive ? 'True' : 'False', reason, message },
  })
  const now = activeHolds(all, nowMs)
  if (!now.includes(hold)) return said(false, 'Expired', 'spec.until is in the past')
  const mine = clusters.filter((c) => hold.clusters?.includes(c) ?? true)
  if (!hold.pin) return said(true, 'Active', pauseText(hold, mine), mine)
  const { revision, isKnown } = hold.pin
  if (!isKnown) {
    const reason = 'PinnedRevisionUnknown'
    return said(false, reason, factText({ reason, on: [holdRef(hold.name)], facts: { revision } }))
  }
  const others = now.filter((h) => h !== hold)
  const against = (c: string): HoldView | undefined =>
    others.find((h) => h.pin && h.pin.revision !== revision && h.clusters?.includes(c))
  const paused = (c: string): HoldView | undefined =>
    others.find((h) => h.action !== 'Pin' && (h.clusters === undefined || h.clusters.includes(c)))
  const inConflict = mine.filter((c) => against(c) !== undefined)
  const free = mine.filter((c) => !against(c) && !paused(c))
  if (inConflict.length > 0) {
    const other = against(inConflict[0]!)!
    const reason = 'HoldConflict'
    const on = [holdRef(hold.name), holdRef(other.name)] as const
    return said(false, reason, factText({ reason, on, facts: {}, clusters: inConflict }), free)
  }
  const held = mine.filter((c) => paused(c))
  const besides = held.length > 0 ? `; ${stopText(paused(held[0]!)!)} ${listed(held)}` : ''
  return said(true, 'Active', `revision ${short10(revision)} pinned on ${numbered(free)}${besides}`, free)
}

const stopText = ({ name, action }: HoldView): string =>
  `Hold ${name} ${action === 'Suspend' ? 'suspends' : 'pauses'}`

const pauseText = ({ action }: HoldView, on: readonly string[]): string =>
  `${action === 'Suspend' ? 'writes suspended' : 'new deployments paused'} on ${numbered(on)}`

const numbered = ({ length }: readonly string[]): string =>
  length === 0 ? 'no cluster of the Module' : `${length} cluster${length === 1 ? '' : 's'} of the Module`

const factText = (fact: ReasonFact & { readonly clusters?: readonly string[] }): string =>
  textOf(messageOf(fact))

const listed = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

export interface ApprovalStatusResult {
  /** What it consents to; undefined: to nothing that is there. */
  readonly revision: Digest | undefined
  readonly condition: Omit<NewCondition, 'observedGeneration'>
}

/** Whether an Approval counts, for what, and why not. `module`: `Module/web`. */
export function approvalStatusOf(
  approval: ApprovalView,
  module: string,
  target: ApprovalTarget | undefined,
): ApprovalStatusResult {
  const said = (reason: string, message: string, revision?: Digest): ApprovalStatusResult => ({
    revision,
    condition: { type: APPROVAL_VALID, status: revision === undefined ? 'False' : 'True', reason, message },
  })
  const fault = (fact: ReasonFact): ApprovalStatusResult => said(fact.reason, factText(fact))
  if (!target) return fault({ reason: 'TargetMissing', on: [namedModule(module)], facts: {} })
  const { stage, point } = approval
  const names = stageNames(target)
  const isOfPrune = stage === PRUNE_STAGE && !names.includes(PRUNE_STAGE)
  if (!isOfPrune && !hasStage(stage, target, names))
    return fault({ reason: 'StageUnknown', on: [namedModule(module)], facts: { stage, stages: names } })
  if (!isOfPrune && !isRequired(approval, target)) return said('NotRequired', notRequiredText(approval))
  const known = isOfPrune ? target.admitted : target.revisions
  const revision = known.find((r) => isNamed(r, approval.revisionHash))
  if (revision === undefined) {
    const current = known[0] === undefined ? undefined : short10(known[0])
    const facts = { stage, approved: shown(approval.revisionHash), revision: current }
    return fault({ reason: 'ApprovalForOtherRevision', on: [approvalRef(approval.name)], facts })
  }
  const name = `revision ${short10(revision)}`
  if (isOfPrune) return said('Counts', `${name} may delete objects`, revision)
  const state = target.stages.find((s) => s.name === stage)
  const usedAt = point === 'Before' ? state?.openedAt : state?.completedAt
  if (usedAt !== undefined && revision === target.revisions[0])
    return said(
      'Used',
      `stage ${stage} ${point === 'Before' ? 'opened' : 'completed'} with ${name}; the approval cannot be revoked`,
      revision,
    )
  return said(
    'Counts',
    `stage ${stage} may ${point === 'Before' ? 'open' : 'complete'} with ${name}`,
    revision,
  )
}

/** Text of the Event where a used Approval is deleted. `module`: its name, as commands take it. */
export const deletedLateText = (
  { name, stage, point }: ApprovalView,
  revision: Digest,
  module: string,
): string =>
  `deleted Approval ${name} after stage ${stage} ${point === 'Before' ? 'opened' : 'completed'} with revision ${short10(revision)}, which stays approved; to stop new starts run: lockstep rollout pause ${module}`

/** Stages of the current rollout, or of the policy where it has none yet. */
const stageNames = ({ policy, stages }: ApprovalTarget): string[] =>
  policy.strategy !== 'Staged' ? [] : (stages.length > 0 ? stages : (policy.stages ?? [])).map((s) => s.name)

const policyOf = (stage: string, { policy }: ApprovalTarget) =>
  policy.stages?.find((s) => s.name === stage.split('/')[0])

function hasStage(stage: string, target: ApprovalTarget, names: readonly string[]): boolean {
  const policy = policyOf(stage, target)
  // Parts of a stage that a label groups exist only once a rollout has begun.
  const isPart = stage.includes('/') && policy?.groupBy !== undefined
  return policy !== undefined && (names.includes(stage) || isPart)
}

const isRequired = ({ stage, point }: ApprovalView, target: ApprovalTarget): boolean => {
  const policy = policyOf(stage, target)
  return (point === 'Before' ? policy?.approvalBefore : policy?.approval) === 'Required'
}

const notRequiredText = ({ stage, point }: ApprovalView): string =>
  `stage ${stage} requires no approval to ${point === 'Before' ? 'open' : 'complete'}`

const shown = (hash: string): string => (hash.includes(':') ? short10(hash) : hash)
