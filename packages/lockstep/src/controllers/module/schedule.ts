/** Where a module's fleet is to be, and what may start now: out of the caches, by the scheduler. Writes nothing. */

import { type Env, elapsedTimeMs, lateMsOf, type ObservedTime } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'
import type { Observation, PublishedRevision } from '../../decisions/gate/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { setOf } from '../../decisions/resourceset/index.ts'
import {
  type DisruptionBudgetView,
  entryId,
  fleetRevision,
  holdEndsIn,
  isRolledBack,
  moduleHeldBy,
  resolveUnitHolds,
  retriedOn,
  type ScheduleInput,
  type ScheduleOutput,
  schedule,
  type TargetBundle,
  type TargetRevision,
  type TargetRevisionCause,
  type UnitClocks,
  writesHeldBy,
} from '../../decisions/rollout/index.ts'
import {
  approvalsOf,
  findRevisionRecord,
  type HubCaches,
  holdsOn,
  lastCompleteRevision,
  type ObservationDeps,
  pauseOfSet,
  type RevisionRecord,
  targetRevisionFor,
} from '../cache/index.ts'
import { hubTime } from '../runtime/index.ts'
import { type MembershipDeps, type RemovalVerdict, retainedMembers } from './removal/index.ts'
import { isRetryRequested, retryRequestedOn, rolloutProgress } from './rolloutstate.ts'
import { stageGates } from './stagegates.ts'
import { type BoundUnits, type UnitFacts, unitViewsOf } from './unitviews.ts'

/** What is remembered of a rollout between two decisions; losing it lengthens waits at most. */
export interface RolloutMemory {
  decidedAt: ObservedTime | undefined
  clocks: UnitClocks
  soaks: ReadonlyMap<string, number>
  /** Clusters that leave, and of which that was told. */
  readonly leaving: Set<string>
  /** Entries, by `entryId`, whose records were taken back. */
  readonly takenBack: Set<string>
}

export const emptyRollout = (): RolloutMemory => ({
  decidedAt: undefined,
  clocks: new Map(),
  soaks: new Map(),
  leaving: new Set(),
  takenBack: new Set(),
})

export interface DesiredState {
  readonly goal: TargetRevision | undefined
  /** What the goal is; of a module that leaves, what it was to be at. */
  readonly wanted: RevisionRecord | undefined
  readonly target: TargetBundle | undefined
}

/** `current`: what is published. */
export function desiredStateFor(
  hub: HubCaches,
  ref: ModuleRef,
  module: Stored<Module>,
  current: RevisionRecord | undefined,
): DesiredState {
  const isDeleting = module.metadata.deletionTimestamp !== undefined
  const goal =
    current && !isDeleting
      ? targetRevisionFor(hub, ref, module, current, isRetryRequested(module))
      : undefined
  const wish = goal?.revision ?? fleetRevision(module.status)
  const wanted = wish === current?.revision ? current : findRevisionRecord(hub, ref, wish)
  const target = wanted && !isDeleting ? { revision: wanted.revision, bundle: wanted.bundle } : undefined
  return { goal, wanted, target }
}

export interface ScheduleRequest {
  readonly ref: ModuleRef
  readonly module: Stored<Module>
  readonly memory: RolloutMemory
  readonly published: PublishedRevision | undefined
  readonly target: TargetBundle | undefined
  readonly seen: Observation
  readonly bindings: BoundUnits
  readonly cause: TargetRevisionCause | undefined
  readonly budgets: readonly DisruptionBudgetView[]
  readonly guard: RemovalVerdict
  /** Units of which nothing has changed since the last decision. */
  readonly known?: Map<string, UnitFacts>
}

export interface ScheduleDecision {
  readonly input: ScheduleInput
  readonly rollout: ScheduleOutput
  readonly units: readonly UnitFacts[]
  readonly holdsEndInMs: number | undefined
  /** When it was decided, as far as anybody knows. */
  readonly at: ObservedTime
}

/** What a decision needs of its surroundings. */
export interface SchedulerDeps extends ObservationDeps, MembershipDeps {
  readonly env: Pick<Env, 'clock' | 'calendar'>
}

/** Approvals by name, as far as they were found to be something else than the caches say. */
export interface LiveApprovals {
  /** They count for nothing. */
  readonly gone: ReadonlySet<string>
  /** They cannot be read, and why. */
  readonly unread: ReadonlyMap<string, string>
}

/** Asks the scheduler, with what is seen just now; the clocks go on from the answer that was remembered last. */
export function decideSchedule(c: SchedulerDeps, d: ScheduleRequest, live?: LiveApprovals): ScheduleDecision {
  const { ref, module, memory, target, seen } = d
  const deleting = module.metadata.deletionTimestamp !== undefined
  const { nowMs, skewMs, seen: now } = hubTime(c)
  const holds = deleting ? [] : [...pauseOfSet(c.hub, module), ...holdsOn(c.hub, ref, nowMs)]
  const all = unitViewsOf({
    hub: c.hub,
    fleet: c.fleet,
    ref,
    module,
    published: d.published,
    target,
    seen,
    bindings: d.bindings,
    known: d.known,
    heldBy: (cluster) => writesHeldBy(holds, cluster),
    holdOn: (cluster) => resolveUnitHolds(holds, cluster),
  })
  const units = retainedMembers(c, module, memory.leaving, all, d.guard, nowMs)
  const input: ScheduleInput = {
    module: `${ref.kind}/${ref.name}`,
    deleting,
    target,
    policy: module.spec.rollout,
    ofSet: setOf(module.metadata) !== undefined,
    rollbackCause: d.cause !== undefined && isRolledBack(d.cause) ? d.cause : undefined,
    lastComplete: target && lastCompleteRevision(c.hub, ref, target.revision),
    units: units.map((u) => u.view),
    rolledBackFrom:
      d.cause !== undefined && isRolledBack(d.cause) ? module.status?.currentRevision : undefined,
    ledger: module.status?.rollout?.ledger ?? [],
    removalTotal: module.status?.rollout?.removals?.total,
    takenBack: memory.takenBack,
    haltedAt: module.status?.rollout?.haltedAt,
    retry: isRetryRequested(module),
    ...rolloutProgress(module, target),
    approvals: approvalsOf(c.hub, ref)
      .filter((a) => !live?.gone.has(a.name))
      .map((a) => (live?.unread.has(a.name) ? { ...a, unread: live.unread.get(a.name) } : a)),
    heldBy: moduleHeldBy(holds),
    isSuspended: holds.some((h) => h.clusters === undefined && h.action === 'Suspend'),
    gates: stageGates(module, seen),
    budgets: d.budgets,
    clocks: memory.clocks,
    soaks: memory.soaks,
    elapsedMs: elapsedTimeMs(memory.decidedAt, now),
    lateMs: lateMsOf(now),
    nowMs,
    calendar: c.env.calendar,
    skewMs,
  }
  const only = retryRequestedOn(module)
  const rollout = only ? retriedOn(input, only) : schedule(input)
  return { input, rollout, units, holdsEndInMs: holdEndsIn(holds, nowMs), at: now }
}

/** A decision that is acted on. One that is asked for again with other consents must leave no trace: its clocks count once. */
export function rememberDecision(memory: RolloutMemory, { input, rollout, at }: ScheduleDecision): void {
  memory.decidedAt = at
  memory.clocks = rollout.clocks
  memory.soaks = rollout.soaks
  // What starts there again is another assignment.
  const restarted = new Set(rollout.start.map((x) => x.cluster))
  const open = new Set(input.ledger.filter((e) => !restarted.has(e.cluster)).map(entryId))
  for (const id of memory.takenBack) if (!open.has(id)) memory.takenBack.delete(id)
}
