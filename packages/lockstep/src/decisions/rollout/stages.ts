/** The stages of a rollout: which are open, which are complete, and what those that are not wait for. */

import { hasLasted } from '@lockstep/kube/env'
import { shortDuration, timestamp } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { namedModule } from '../graph/index.ts'
import { findApproval } from './approvals/approvals.ts'
import { gateExprBlocker } from './approvals/gateexpr.ts'
import { clockOf, secondsOf } from './budgets/inflight.ts'
import { type RolloutLimits, stageLimitsOf } from './budgets/limits.ts'
import { classifyUnit, joinAtOf, keepsOf } from './classify.ts'
import { frozenBy, recordedStage, type StageMembers, type StartedIn, stagesOf } from './stagemembers.ts'
import {
  type ClassCounts,
  type ClassifiedUnit,
  classesOf,
  countOf,
  type StageRun,
  totalOf,
} from './stagerun.ts'
import type { InFlightEntry, ScheduleInput, StageState, UnitClock, UnitView } from './types.ts'

export interface StagesInput {
  readonly input: ScheduleInput
  readonly ledger: ReadonlyMap<string, InFlightEntry>
  readonly clocks: ReadonlyMap<string, UnitClock>
  readonly limits: RolloutLimits
  /** More has failed than is tolerated, and goes on. */
  readonly isDoubtful?: boolean | undefined
}

/** Classes that a stage waits for. */
const UNSETTLED = ['Candidate', 'Blocked', 'InFlight', 'Unhealthy'] as const
const isUnsettled = (c: ClassifiedUnit): boolean => UNSETTLED.some((name) => name === c.class)

/** All stages, in order; each opens when the one before it is complete. */
export function runStages(s: StagesInput, units: readonly UnitView[]): StageRun[] {
  const { input } = s
  const states = new Map(input.stages.map((x) => [x.name, x]))
  const out: StageRun[] = []
  for (const stage of stagesOf(input.policy, units, frozenBy(input.stages), startedIn(s, units))) {
    const known = states.get(stage.name) ?? { name: stage.name }
    out.push(runStage(s, stage, known, out.at(-1)))
  }
  return out
}

/** What is in flight has its stage in the ledger, what is done at the target in its record. */
function startedIn({ input, ledger }: StagesInput, units: readonly UnitView[]): StartedIn {
  const done = new Map(
    units.map((u) => [u.cluster, recordedStage(u.recordRevision, u.recordStage, input.target?.revision)]),
  )
  return (cluster) => ledger.get(cluster)?.stage ?? done.get(cluster)
}

function runStage(
  s: StagesInput,
  stage: StageMembers<UnitView>,
  known: StageState,
  before: StageRun | undefined,
): StageRun {
  const { input } = s
  const isOver = input.target !== undefined && input.completedAt === input.target.revision
  const isPending = !isOver && before !== undefined && !before.isComplete
  const closed = isOver || isPending ? [] : openingOf(input, stage, known)
  const isOpen = !isPending && closed.length === 0
  const consents = consentsOf(input, stage, known, before)
  // What goes back first for another asks for no turn, as a rollback does not; people are asked all the same.
  const isFirst = ({ at }: UnitView): boolean =>
    consents !== undefined && input.target !== undefined && at(input.target.revision).demanded === true
  const how = {
    target: input.target,
    minReadyMs: input.policy.minReadySeconds * 1000,
    joinAt: joinAtOf(input),
    isDoubtful: s.isDoubtful,
    keeps: keepsOf(input),
  }
  const [opened, closedTo] = [true, false].map((is) => ({ ...how, isOpen: is }))
  const members = stage.members.map((unit) =>
    classifyUnit(
      unit,
      s.ledger.get(unit.cluster),
      clockOf(s.clocks, unit.cluster),
      isOpen || isFirst(unit) ? opened! : closedTo!,
    ),
  )
  const classes = classesOf(members)
  const limits = stageLimitsOf(stage.policy, totalOf(classes))
  const run = { name: stage.name, policy: stage.policy, members, classes, isOpen, limits }
  const soakMs = isOpen ? soakOf(s, run, known) : undefined
  const exit = isOpen ? exitOf(s, run, soakMs, known) : { waits: closed }
  const isComplete = isOver || (soakMs !== undefined && exit.waits.length === 0)
  const found: StageRun = {
    ...run,
    consents,
    soakMs,
    isComplete,
    opensAfter: isPending ? before.name : undefined,
    waits: isOver ? [] : exit.waits,
    // Who comes proves it from then on.
    state: stateOf(input, stage, known, {
      isOpen,
      isComplete,
      approvedBy: exit.approvedBy,
      soakMs: isEmpty(classes) ? undefined : soakMs,
    }),
  }
  for (const c of members) c.stage = found
  return found
}

function stateOf(
  { nowMs }: ScheduleInput,
  { name, cut }: StageMembers,
  known: StageState,
  now: Pick<StageRun, 'isOpen' | 'isComplete' | 'soakMs'> & { approvedBy?: string | undefined },
): StageState {
  const openedAt = known.openedAt ?? (now.isOpen ? timestamp(nowMs) : undefined)
  return {
    name,
    ...(cut === undefined ? {} : { cut }),
    ...(openedAt === undefined ? {} : { openedAt }),
    ...(now.soakMs === undefined ? {} : { soakSeconds: secondsOf(now.soakMs) }),
    ...(now.approvedBy === undefined ? {} : { approvedBy: now.approvedBy }),
    ...(now.isComplete ? { completedAt: known.completedAt ?? timestamp(nowMs) } : {}),
  }
}

/**
 * Approvals that are still needed on the way to a stage: to the end of those before it, and to its own beginning. What has
 * passed, or begun, needs none any more.
 */
function consentsOf(
  { module, target, approvals }: ScheduleInput,
  { name, policy }: StageMembers,
  { openedAt }: StageState,
  before: StageRun | undefined,
): readonly string[] | undefined {
  const earlier = before ? before.consents : []
  if (!earlier || !target) return earlier
  const hasPassed = before?.state.completedAt !== undefined
  const to = (stage: string, point: 'Before' | 'After') =>
    findApproval({ module, approvals, stage, point, revision: target.revision })
  const asked = [
    ...(before?.policy.approval === 'Required' && !hasPassed ? [to(before.name, 'After')] : []),
    ...(policy.approvalBefore === 'Required' && openedAt === undefined ? [to(name, 'Before')] : []),
  ]
  const names = asked.flatMap((c) => ('name' in c ? [c.name] : []))
  return names.length < asked.length ? undefined : [...earlier, ...names]
}

/** Why a stage is not open. Consent to its beginning counts for good once it has begun. */
function openingOf(
  { module, target, approvals }: ScheduleInput,
  { name, policy }: StageMembers,
  known: StageState,
): NewBlocker[] {
  if (policy.approvalBefore !== 'Required' || known.openedAt !== undefined || !target) return []
  const consent = findApproval({ module, approvals, stage: name, point: 'Before', revision: target.revision })
  return 'blocker' in consent ? [consent.blocker] : []
}

/**
 * The time for which all members have been done. It begins when nothing is left to do; clusters that join later do not
 * stop it, members that are not well any more start it anew.
 */
function soakOf(
  { input, limits }: StagesInput,
  run: Pick<StageRun, 'name' | 'policy' | 'members' | 'classes' | 'limits'>,
  known: StageState,
): number | undefined {
  const { members, classes } = run
  const isSilent = classes.Unreachable > limits.maxUnreachable
  if (isSilent || isUnproven(input, classes) || isOverFailed(input, run)) return undefined
  const askedMs = (run.policy.soakSeconds ?? 0) * 1000
  const { lateMs = 0 } = input
  const isSettled = countOf(classes, ...UNSETTLED) === 0
  if (known.soakSeconds === undefined) return isSettled ? 0 - lateMs : undefined
  if (!isSettled && !members.every((c) => !isUnsettled(c) || isJoiner(c))) return undefined
  const soaked = input.soaks.get(run.name)
  // Whoever has just begun to look knows nothing of the time before; what was reached stays so.
  const storedMs = known.soakSeconds * 1000
  if (soaked === undefined) return hasLasted(storedMs, askedMs) ? storedMs : storedMs - lateMs
  // No more than is asked for: what does not change needs no write. What was reached stays so.
  return hasLasted(soaked, askedMs) ? soaked : Math.min(soaked + input.elapsedMs, askedMs)
}

/** Nobody is in it, or about to be. */
export const isEmpty = (classes: ClassCounts): boolean => totalOf(classes) + classes.Absent === 0

/** Not delivered to before: a first install does not undo what the others have proven. */
const isJoiner = (c: ClassifiedUnit): boolean =>
  c.entry ? c.entry.kind === 'Install' : c.unit.admittedRevision === undefined

/**
 * Silent members prove nothing, nor do those that are still to come; a stage without members has nothing to prove. Where
 * failures hold up nobody, those that have failed have shown what there is to see.
 */
function isUnproven({ policy }: ScheduleInput, classes: ClassCounts): boolean {
  const counted = totalOf(classes) + classes.Absent
  const proven = classes.Done + (policy.onFailure === 'Continue' ? classes.Failed : 0)
  return counted > 0 && proven === 0
}

/** More of its members have failed than it tolerates. */
export function isOverFailed(
  input: ScheduleInput,
  { limits: { maxFailed }, classes }: Pick<StageRun, 'classes' | 'limits'>,
): boolean {
  return maxFailed !== undefined && input.policy.onFailure !== 'Continue' && classes.Failed > maxFailed
}

/** What an open stage waits for, besides that its members are done. Consent counts for good once it has passed. */
function exitOf(
  { input }: StagesInput,
  run: Pick<StageRun, 'name' | 'policy' | 'members' | 'classes'>,
  soakMs: number | undefined,
  known: StageState,
): { waits: readonly NewBlocker[]; approvedBy?: string } {
  const { name, policy, members, classes } = run
  const subject = input.module
  if (!input.target) return { waits: [] }
  if (soakMs === undefined && input.policy.strategy !== 'Staged') return { waits: [] }
  if (soakMs === undefined) {
    const isIdle = members.length > 0 && countOf(classes, ...UNSETTLED) === 0
    if (!isIdle || !isUnproven(input, classes)) return { waits: [] }
    const facts = { stage: name, members: members.length }
    return { waits: [blocked('StageInconclusive', [namedModule(subject)], facts)] }
  }
  const hasNobody = isEmpty(classes)
  const waits: NewBlocker[] = []
  const { soakSeconds = 0 } = policy
  if (!hasNobody && !hasLasted(soakMs, soakSeconds * 1000)) {
    const soak = shortDuration(soakSeconds * 1000)
    const facts = { stage: name, elapsed: shortDuration(Math.max(0, soakMs)), soak }
    waits.push(blocked('Soaking', [{ kind: 'Time', name: soak }], facts))
  }
  if (!hasNobody) waits.push(...(input.gates.get(policy.name) ?? []), ...gateExprBlocker(input, run))
  if (policy.approval !== 'Required') return { waits }
  if (known.completedAt !== undefined && known.approvedBy !== undefined)
    return { waits, approvedBy: known.approvedBy }
  const { approvals, target } = input
  const consent = findApproval({
    module: subject,
    approvals,
    stage: name,
    point: 'After',
    revision: target.revision,
  })
  return 'by' in consent ? { waits, approvedBy: consent.by } : { waits: [...waits, consent.blocker] }
}
