/** What becomes of Holds and Approvals, for their status. */

import { type Digest, isNamed, short10 } from '@lockstep/kube/object'
import { APPROVAL_VALID, HOLD_ACTIVE, type NewCondition } from '../../../api/conditions.ts'
import type { RolloutPolicy } from '../policy.ts'
import type { ApprovalView, StageState } from '../types.ts'
import { activeHolds, type HoldView } from '../unitholds.ts'
import { PRUNE_STAGE } from './approvals.ts'

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
  if (!now.includes(hold)) return said(false, 'Expired', 'its end has passed: it means nothing any more')
  const mine = clusters.filter((c) => hold.clusters?.includes(c) ?? true)
  if (!hold.pin) return said(true, 'Active', pauseText(hold, mine), mine)
  const { revision, isKnown } = hold.pin
  if (!isKnown)
    return said(
      false,
      'PinnedRevisionUnknown',
      `the history has no revision ${revision}: what it names stays as it is`,
    )
  const others = now.filter((h) => h !== hold)
  const against = (c: string): HoldView | undefined =>
    others.find((h) => h.pin && h.pin.revision !== revision && h.clusters?.includes(c))
  const paused = (c: string): HoldView | undefined =>
    others.find((h) => h.action !== 'Pin' && (h.clusters === undefined || h.clusters.includes(c)))
  const inConflict = mine.filter((c) => against(c) !== undefined)
  const free = mine.filter((c) => !against(c) && !paused(c))
  if (inConflict.length > 0) {
    const other = against(inConflict[0]!)!
    return said(
      false,
      'HoldConflict',
      `Hold ${other.name} pins ${listed(inConflict)} at another revision: there it acts on nothing`,
      free,
    )
  }
  const held = mine.filter((c) => paused(c))
  const besides = held.length > 0 ? `; ${stopText(paused(held[0]!)!)} ${listed(held)} first` : ''
  return said(true, 'Active', `${short10(revision)} on ${numbered(free)}${besides}`, free)
}

const stopText = ({ name, action }: HoldView): string =>
  `Hold ${name} ${action === 'Suspend' ? 'suspends' : 'pauses'}`

const pauseText = ({ action }: HoldView, on: readonly string[]): string =>
  action === 'Suspend' ? `nothing is written to ${numbered(on)}` : `nothing new starts on ${numbered(on)}`

const numbered = (clusters: readonly string[]): string =>
  clusters.length === 0 ? 'no cluster: the module has none of them' : `${clusters.length} of its clusters`

const listed = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

export interface ApprovalStatusResult {
  /** What it consents to; undefined: to nothing that is there. */
  readonly revision: Digest | undefined
  readonly condition: Omit<NewCondition, 'observedGeneration'>
}

/** Whether an Approval counts, for what, and why not. `module`: kind and name, for messages. */
export function approvalStatusOf(
  approval: ApprovalView,
  module: string,
  target: ApprovalTarget | undefined,
): ApprovalStatusResult {
  const said = (reason: string, message: string, revision?: Digest): ApprovalStatusResult => ({
    revision,
    condition: { type: APPROVAL_VALID, status: revision === undefined ? 'False' : 'True', reason, message },
  })
  if (!target) return said('TargetMissing', `there is no ${module} in this namespace`)
  const { stage, point } = approval
  const isOfPrune = stage === PRUNE_STAGE && !stageNames(target).includes(PRUNE_STAGE)
  const problem = isOfPrune ? undefined : stageProblem(approval, module, target)
  if (problem) return said(...problem)
  const known = isOfPrune ? target.admitted : target.revisions
  const revision = known.find((r) => isNamed(r, approval.revisionHash))
  if (revision === undefined) {
    const first = known[0] === undefined ? 'nothing is published yet' : `this is ${short10(known[0])}`
    return said('ApprovalForOtherRevision', `it is for ${shown(approval.revisionHash)}, ${first}`)
  }
  if (isOfPrune) return said('Counts', `objects may be deleted by revision ${short10(revision)}`, revision)
  const state = target.stages.find((s) => s.name === stage)
  const usedAt = point === 'Before' ? state?.openedAt : state?.completedAt
  if (usedAt !== undefined && revision === target.revisions[0])
    return said(
      'Used',
      `stage ${stage} has ${point === 'Before' ? 'begun' : 'passed'} with revision ${short10(revision)}: it cannot be taken back`,
      revision,
    )
  const what = point === 'Before' ? `stage ${stage} may begin` : `what comes after stage ${stage} may begin`
  return said('Counts', `${what} with revision ${short10(revision)}`, revision)
}

/** Of one that was used, and is deleted after that. `module`: its name, as commands take it. */
export const deletedLateText = (
  { name, stage, point }: ApprovalView,
  revision: Digest,
  module: string,
): string =>
  `Approval ${name} was deleted after stage ${stage} had ${point === 'Before' ? 'begun' : 'passed'} with revision ${short10(revision)}: that takes nothing back; lockstep rollout pause ${module} keeps what has not started from starting`

/** As the rollout under way has them, or as the policy will. */
const stageNames = ({ policy, stages }: ApprovalTarget): string[] =>
  policy.strategy !== 'Staged' ? [] : (stages.length > 0 ? stages : (policy.stages ?? [])).map((s) => s.name)

function stageProblem(
  { stage, point }: ApprovalView,
  module: string,
  target: ApprovalTarget,
): [reason: string, message: string] | undefined {
  const names = stageNames(target)
  const policy = target.policy.stages?.find((s) => s.name === stage.split('/')[0])
  // What comes later, of a stage that is cut by a label, nobody knows yet.
  const isPart = stage.includes('/') && policy?.groupBy !== undefined
  if (!policy || !(names.includes(stage) || isPart)) {
    const there = names.length > 0 ? `it has ${listed(names)}` : 'its rollout has no stages'
    return ['StageUnknown', `${module} has no stage ${stage}: ${there}`]
  }
  const asked = point === 'Before' ? policy.approvalBefore : policy.approval
  if (asked === 'Required') return undefined
  return ['NotRequired', `stage ${stage} asks for no consent ${point === 'Before' ? 'to begin' : 'to pass'}`]
}

const shown = (hash: string): string => (hash.includes(':') ? short10(hash) : hash)
