/** The status of a Module: pure. */

import { type Stored, short10 } from '@lockstep/kube/object'
import { blocked, keepSince, type NewBlocker } from '../../api/blocker.ts'
import {
  DRIFT_DETECTED,
  HANDED_OVER,
  HANDOVER_PENDING,
  mergeConditions,
  type NewCondition,
  RESOLVED_OLDER,
  SOURCE_BEHIND,
} from '../../api/conditions.ts'
import type { Module, ModuleStatus } from '../../api/kinds/index.ts'
import { namedModule, namedUnit } from '../../decisions/graph/index.ts'
import {
  isRolledBack,
  type ScheduleOutput,
  type TargetRevision,
  WHOLE_STAGE,
} from '../../decisions/rollout/index.ts'
import type { SourceFailure } from '../../sources/intake/index.ts'
import type { RevisionRecord } from '../cache/index.ts'
import { failureBlockers, type SourceBehind } from '../publish/index.ts'
import type { Handovers } from './moduleblockers.ts'
import { type RemovalProgress, removalText } from './removal/index.ts'

export interface ModuleStatusInput {
  readonly module: Stored<Module>
  readonly current: RevisionRecord | undefined
  /** Where the fleet is to be, and why; undefined: nothing is published. */
  readonly goal: TargetRevision | undefined
  readonly wanted: RevisionRecord | undefined
  /** Spec or inputs have just changed: what is published is not of this generation yet. */
  readonly settling: boolean
  readonly source: SourceFailure | undefined
  /** The request to ask the source that has been answered. */
  readonly handled: string | undefined
  /** The request to give up lost keys that is done. */
  readonly rehashed: string | undefined
  /** The request to try again that is under way. */
  readonly retried: string | undefined
  readonly rollout: ScheduleOutput
  /** Undefined: the Module is removed from no cluster. */
  readonly removal: RemovalProgress | undefined
  /** Further blockers, of clusters and of deletion. */
  readonly blockers: readonly NewBlocker[]
  /** Edges whose releases cannot be compared: nothing waits for them, and people should know. */
  readonly notCompared: readonly string[]
  /** A range gives an older version than is published. */
  readonly older: string | undefined
  /** A change of the source since its release was frozen. */
  readonly behind: SourceBehind | undefined
  /** What others have changed of what is delivered, by cluster. */
  readonly drifted: readonly string[]
  /** Objects that changed hands, by cluster. */
  readonly handovers: Handovers
  readonly now: string
}

export function moduleStatus(input: ModuleStatusInput): ModuleStatus {
  const { module, current, rollout, now } = input
  const old = module.status
  const others = [...goalBlockers(input), ...rollout.blockers, ...input.blockers]
  const { source } = input
  const failures = source ? failureBlockers(source, module) : []
  const decisive = others.filter((b) => DECISIVE.has(b.reason))
  // A failure that may end by itself ends no deadlock.
  const isFirst = source?.transient === true && decisive.some((b) => b.reason === 'Deadlock')
  const all: NewBlocker[] = [
    ...(isFirst ? [...decisive, ...failures] : [...failures, ...decisive]),
    ...others.filter((b) => !DECISIVE.has(b.reason)),
  ]
  const { counters } = rollout
  return {
    observedGeneration: observedOf(input),
    ...handledOf(input),
    ...(current?.release === undefined ? {} : { release: current.release }),
    ...(current
      ? { currentRevision: current.revision, bundle: current.bundle, sourceRevision: current.sourceRevision }
      : {}),
    clusters: { ...counters },
    ready: `${counters.ready}/${counters.total}`,
    updated: `${counters.updated}/${counters.total}`,
    blockers: keepSince(all.slice(0, 10), old?.blockers, now),
    rollout: {
      phase: rollout.phase,
      ...wishOf(input),
      ...completed(input),
      ...(rollout.haltedAt === undefined ? {} : { haltedAt: rollout.haltedAt }),
      ...stagesOf(rollout),
      ...(rollout.ledger.length === 0 ? {} : { ledger: rollout.ledger.map((e) => ({ ...e })) }),
      ...(rollout.ran.size === 0
        ? {}
        : { ran: [...rollout.ran].map(([cluster, seconds]) => ({ cluster, seconds })) }),
      budgets: { ...rollout.budgets },
      ...(rollout.failed.length === 0 ? {} : { failed: rollout.failed.map((f) => ({ ...f })) }),
    },
    conditions: mergeConditions(old?.conditions, conditionsOf(input, all), now),
  }
}

/** Whatever else is waited for, nothing but a change of a spec or a label ends it. */
const DECISIVE: ReadonlySet<string> = new Set(['SelectsNothing', 'CycleDetected', 'Deadlock'])

/** Decisive reasons that stall a Module. */
const STALLING: ReadonlySet<string> = new Set(['CycleDetected', 'Deadlock'])

/** When the rollout of this revision was complete for the first time. */
function completed({ module: { status }, wanted, rollout, now }: ModuleStatusInput) {
  if (!wanted) return {}
  const old = status?.rollout
  const known = old?.revision === wanted.revision ? old.completedAt : undefined
  const completedAt = known ?? (rollout.phase === 'Complete' ? now : undefined)
  return completedAt === undefined ? {} : { completedAt }
}

/** The one stage of a rollout without stages says nothing that the counts of clusters do not say. */
function stagesOf({ stage, stages }: ScheduleOutput) {
  if (stages.length < 2 && stages[0]?.name === WHOLE_STAGE) return {}
  return {
    ...(stage === undefined ? {} : { stage }),
    ...(stages.length === 0 ? {} : { stages: stages.map((s) => ({ ...s })) }),
  }
}

/** The generation whose spec is published, or was refused: Ready never speaks of a spec that nobody has looked at. */
const observedOf = ({ module, settling }: ModuleStatusInput): number =>
  settling ? (module.status?.observedGeneration ?? 0) : (module.metadata.generation ?? 0)

const handledOf = ({
  module: { status },
  handled,
  rehashed,
  retried,
}: ModuleStatusInput): Pick<
  ModuleStatus,
  'lastHandledReconcileAt' | 'lastHandledRehashAt' | 'lastHandledRetryAt'
> => {
  const reconcile = handled ?? status?.lastHandledReconcileAt
  const rehash = rehashed ?? status?.lastHandledRehashAt
  const retry = retried ?? status?.lastHandledRetryAt
  return {
    ...(reconcile === undefined ? {} : { lastHandledReconcileAt: reconcile }),
    ...(rehash === undefined ? {} : { lastHandledRehashAt: rehash }),
    ...(retry === undefined ? {} : { lastHandledRetryAt: retry }),
  }
}

/** Where the fleet is to be, since when, why, and where it was to be before. */
function wishOf({ module: { status }, goal, wanted, now }: ModuleStatusInput) {
  if (!wanted) return {}
  const old = status?.rollout
  const isNew = old?.revision !== wanted.revision
  const from = isNew ? old?.revision : old?.from
  return {
    revision: wanted.revision,
    ...(wanted.release === undefined ? {} : { release: wanted.release }),
    cause: goal?.cause ?? old?.cause ?? ('Publish' as const),
    startedAt: isNew ? now : (old?.startedAt ?? now),
    ...(from === undefined ? {} : { from }),
    ...(goal?.refused === undefined
      ? {}
      : { refused: goal.refused, refusedFor: refusedFor(status, goal.refused) }),
  }
}

/** Said once, when it is left: afterwards nobody is at it any more. */
function refusedFor(status: ModuleStatus | undefined, refused: string): string {
  const old = status?.rollout
  if (old?.refused === refused && old.refusedFor !== undefined) return old.refusedFor
  const names = (old?.failed ?? []).slice(0, 3).map((f) => f.cluster)
  const where = names.length > 0 ? ` (${names.join(', ')}): ${old!.failed![0]!.message}` : ''
  return `failed on ${status?.clusters?.failed ?? 0} of ${status?.clusters?.total ?? 0} clusters${where}`
}

/** Why the fleet is not to be at what is published. */
function goalBlockers(input: ModuleStatusInput): NewBlocker[] {
  const { module, goal, wanted, rollout } = input
  if (!goal || !wanted) return []
  const own = `${module.kind}/${module.metadata.name}`
  const out: NewBlocker[] = goal.problem ? [goal.problem] : []
  const { ready, total, failed } = rollout.counters
  const back = { to: short10(wanted.revision), ready, total }
  if (goal.cause === 'Rollback' && goal.refused !== undefined) {
    const failure = refusedFor(module.status, goal.refused)
    const facts = { revision: short10(goal.refused), failure, ...back }
    out.push(blocked('RolledBack', [namedModule(own)], facts))
  }
  if (goal.cause === 'Dependency') {
    const on = [namedModule(goal.module ?? own)] as const
    out.push(blocked('RolledBackWithDependency', on, { release: wanted.release, ...back }))
  }
  if (isRolledBack(goal.cause) && failed > 0) {
    const names = rollout.failed.slice(0, 3).map((f) => f.cluster)
    const on = names.map((cluster) => namedUnit(own, cluster))
    const facts = { failed, names, failure: rollout.failed[0]?.message }
    out.push({ ...blocked('RollbackFailed', on, facts), count: failed })
  }
  return out
}

interface SummaryConditions {
  readonly isReady: boolean
  readonly isStalled: boolean
  /** Neither: kstatus reports InProgress, and nothing but a label on a cluster ends it. */
  readonly isReconciling: boolean
  readonly reason: string
  readonly message: string
}

/** A deleted Module is never ready; it is stalled once nothing but failed removals is left. */
function deletionSummary({ removal }: ModuleStatusInput, blockers: readonly NewBlocker[]): SummaryConditions {
  const [first] = blockers
  const firstText = first ? `${first.reason}: ${first.message}` : 'Deleting'
  const isDeadlock = first?.reason === 'Deadlock'
  const isStalled = removal?.isStuck === true || isDeadlock
  return {
    isReady: false,
    isStalled,
    isReconciling: !isStalled,
    reason: isDeadlock ? first.reason : 'Deleting',
    message: removal && !isDeadlock ? removalText(removal) : firstText,
  }
}

function rolloutSummary(input: ModuleStatusInput, blockers: readonly NewBlocker[]): SummaryConditions {
  const { rollout } = input
  const isReady = isReadyNow(input)
  const first = blockers[0]?.reason
  const source = first === 'Deadlock' ? undefined : input.source
  const isEmpty = first === 'SelectsNothing'
  const isStopped = !isEmpty && (rollout.phase === 'Halted' || rollout.phase === 'RolledBack')
  const isStalled = source
    ? !source.transient
    : !isReady && (isStopped || (first !== undefined && STALLING.has(first)))
  const readyReason = rollout.counters.total === 0 ? 'NoClusters' : 'Complete'
  const reason = isReady ? readyReason : (first ?? rollout.phase)
  const message = isReady ? readyText(input) : summary({ ...input, source }, blockers)
  return { isReady, isStalled, isReconciling: !isReady && !isStalled && !isEmpty, reason, message }
}

function conditionsOf(input: ModuleStatusInput, blockers: readonly NewBlocker[]): NewCondition[] {
  const observedGeneration = observedOf(input)
  const isDeleting = input.module.metadata.deletionTimestamp !== undefined
  const s = isDeleting ? deletionSummary(input, blockers) : rolloutSummary(input, blockers)
  const failed = isDeleting ? blockers.find((b) => b.reason === 'RemovalFailed') : undefined
  const stalled = failed ? { reason: failed.reason, message: `${failed.reason}: ${failed.message}` } : s
  const condition = (type: string, holds: boolean, why: string, text: string): NewCondition => ({
    type,
    status: holds ? 'True' : 'False',
    reason: why,
    message: text,
    observedGeneration,
  })
  const warning = (type: string, found: readonly string[]): NewCondition[] =>
    found.length === 0 ? [] : [condition(type, true, type, found.join('; ').slice(0, 30_000))]
  return [
    condition('Ready', s.isReady, s.reason, s.message),
    condition('Reconciling', s.isReconciling, s.reason, s.isReconciling ? s.message : ''),
    condition(
      'Stalled',
      s.isStalled,
      s.isStalled ? stalled.reason : 'NotStalled',
      s.isStalled ? stalled.message : '',
    ),
    // A warning: there only where it holds, beside whatever the others say.
    ...warning('ReleaseNotCompared', input.notCompared),
    ...warning(RESOLVED_OLDER, input.older === undefined ? [] : [input.older]),
    ...warning(SOURCE_BEHIND, behindOf(input)),
    ...warning(DRIFT_DETECTED, input.drifted),
    ...warning(HANDOVER_PENDING, input.handovers.pending),
    ...warning(HANDED_OVER, input.handovers.given),
  ]
}

/** If the source was not read, the warning about this spec stays. */
function behindOf({ behind, module: { metadata, status }, settling, source }: ModuleStatusInput): string[] {
  if (behind !== undefined && behind !== 'Unknown') return [behind.message]
  if (behind === undefined && !settling && !source) return []
  const known = status?.conditions?.find((c) => c.type === SOURCE_BEHIND)
  return known?.observedGeneration === metadata.generation && known !== undefined ? [known.message] : []
}

function isReadyNow({ module, current, source, rollout, goal }: ModuleStatusInput): boolean {
  // An undo is meant to be where it is.
  const isMeant = goal?.cause === 'Publish' || goal?.cause === 'Undo'
  if (source || current === undefined || !isMeant) return false
  const { ready, pinned, total } = rollout.counters
  // A rollout without a cluster succeeds only if the author allows it.
  if (total === 0) return rollout.phase === 'Idle' && module.spec.targets?.allowEmpty === true
  // What is pinned is where somebody wants it.
  return rollout.phase === 'Complete' && ready + pinned === total
}

function readyText({ rollout: { counters }, goal }: ModuleStatusInput): string {
  const { ready, total, pinned } = counters
  if (total === 0) return '0 clusters selected (allowed)'
  const undone = goal?.cause === 'Undo' ? `undone, at ${short10(goal.revision)}: ` : ''
  return `${undone}${ready} of ${total} clusters ready${pinned === 0 ? '' : `, ${pinned} pinned`}`
}

/** One line: what is going on, for the STATUS column. */
function summary({ source, rollout, current }: ModuleStatusInput, blockers: readonly NewBlocker[]): string {
  if (source) return `${source.reason}: ${source.message}`
  const { counters: c } = rollout
  const first = blockers[0]
  if (first?.reason === 'SelectsNothing') return first.message
  if (first && STALLING.has(first.reason)) return `${first.reason}: ${first.message}`
  if (!current) return 'not published yet'
  if (rollout.phase === 'Halted' && first)
    return `Halted: ${first.message}${rollout.failed[0] ? `: ${rollout.failed[0].message}` : ''}`
  if (c.failed > 0) return `${c.failed} failed: ${rollout.failed[0]?.message ?? ''}`
  if (c.blocked > 0) return `Blocked: ${c.blocked} ${first?.reason ?? ''}`
  if (c.updating > 0) return `Progressing: ${c.updating} updating`
  if (first) return `${first.reason}: ${first.message}`
  return `${rollout.phase}: ${c.ready} of ${c.total} clusters ready`
}
