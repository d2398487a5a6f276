/** One look at a module of a copy: what its controller would decide, and what it would write down. */
import { jsonEqual, type Stored, timestamp } from '@lockstep/kube/object'
import type { Inventory, Module } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import {
  type DisruptionBudgetView,
  disruptionBudgetView,
  entryId,
  type ScheduleOutput,
  type TargetBundle,
  type UnitStart,
  WHOLE_STAGE,
} from '../../decisions/rollout/index.ts'
import { type NewUnit, newInventory } from '../../deliver/step/index.ts'
import {
  admittedAssignment,
  assignmentOf,
  budgetFactsOfClusters,
  disruptedClusters,
  findRevisionRecord,
  type NewAssignment,
  observationOf,
  publishedFrom,
  type RevisionRecord,
  toAssignment,
} from '../cache/index.ts'
import {
  assignmentOfStart,
  decideSchedule,
  desiredStateFor,
  moduleBlockers,
  moduleStatus,
  type RolloutMemory,
  rememberDecision,
  removalPolicy,
  removalProgressOf,
  type ScheduleDecision,
  type SchedulerDeps,
  UNKNOWN_BINDINGS,
  type UnitFacts,
} from '../module/index.ts'
import type { FleetCopy } from './fleetcopy.ts'

export interface RollForwardResult extends ScheduleDecision {
  /** Something is written down that was not there before. */
  readonly isNews: boolean
  /** Clusters whose records are others now. */
  readonly recorded: readonly string[]
  /** All units are to be somewhere else than they were. */
  readonly isTurned: boolean
}

/** A module that is looked at again and again. */
export interface RollForwardInput {
  readonly ref: ModuleRef
  /** What is published. */
  readonly current: RevisionRecord | undefined
  readonly memory: RolloutMemory
  /** Units of which nothing has changed since. */
  readonly known: Map<string, UnitFacts>
}

export function rollForward(
  copy: FleetCopy,
  c: SchedulerDeps,
  { ref, current, memory, known }: RollForwardInput,
): RollForwardResult {
  const module = copy.module(ref)!
  const { goal, wanted, target } = desiredStateFor(copy, ref, module, current)
  const decided = decideSchedule(c, {
    ref,
    module,
    memory,
    target,
    known,
    published: wanted && publishedFrom(wanted, module),
    seen: observationOf(c, ref.namespace),
    // What bindings are is read where they are.
    bindings: { at: () => UNKNOWN_BINDINGS },
    cause: goal?.cause,
    budgets: budgetsOf(copy, c),
    guard: {},
  })
  rememberDecision(memory, decided)
  const { rollout, units } = decided
  const status = moduleStatus({
    module,
    current,
    goal,
    wanted,
    rollout,
    removal: removalProgressOf(rollout.removals, rollout.ledger, units),
    settling: false,
    source: undefined,
    handled: undefined,
    rehashed: undefined,
    retried: undefined,
    blockers: moduleBlockers(module, units, c.fleet.of(ref.namespace)),
    notCompared: [],
    older: undefined,
    behind: undefined,
    drifted: [],
    handovers: { pending: [], given: [] },
    now: timestamp(c.env.clock.now()),
  })
  const isSame = jsonEqual(status, module.status)
  if (!isSame) copy.shelfOf(ref).put({ ...module, status })
  const recorded = writeRecords(copy, ref, module, { rollout, units, target, memory })
  const isTurned = status.rollout?.revision !== module.status?.rollout?.revision
  return { ...decided, recorded, isTurned, isNews: !isSame || recorded.length > 0 }
}

/** A place is given back by itself, once nothing is in flight there: in a copy nobody else decides in between. */
export function budgetsOf(copy: FleetCopy, { fleet }: Pick<SchedulerDeps, 'fleet'>): DisruptionBudgetView[] {
  const { namespace } = copy
  const stored = [...copy.disruptionBudgets.store.by('namespace', namespace)]
  if (stored.length === 0) return []
  const clusters = budgetFactsOfClusters(fleet, namespace)
  const unwell = disruptedClusters(copy, fleet, namespace)
  return stored.map(({ metadata: { name }, spec }) =>
    disruptionBudgetView({ name, spec, ledger: [], waiters: [], clusters, unwell, freeMs: 0 }),
  )
}

interface RollOutcome {
  readonly rollout: ScheduleOutput
  readonly units: readonly UnitFacts[]
  readonly target: TargetBundle | undefined
  readonly memory: RolloutMemory
}

function writeRecords(copy: FleetCopy, ref: ModuleRef, module: Stored<Module>, o: RollOutcome): string[] {
  const byName = new Map(o.units.map((u) => [u.view.cluster, u]))
  for (const start of o.rollout.start) {
    const unit = byName.get(start.cluster)!
    const record = start.kind === 'Remove' ? removalOf(unit, module) : assignedTo(copy, ref, unit, start, o)
    if (record) writeRecord(copy, ref, module, unit, record)
  }
  for (const cluster of o.rollout.withdraw) {
    const unit = byName.get(cluster)!
    writeRecord(copy, ref, module, unit, unit.inventory && admittedAssignment(unit.inventory))
    const { recordRevision: revision = '' } = unit.view
    o.memory.takenBack.add(entryId({ cluster, revision }))
  }
  const gone = o.units.filter((u) => u.record?.removal && !u.inventory)
  for (const unit of gone) writeRecord(copy, ref, module, unit, undefined)
  return [...o.rollout.start.map((s) => s.cluster), ...o.rollout.withdraw, ...gone.map((u) => u.view.cluster)]
}

function assignedTo(
  copy: FleetCopy,
  ref: ModuleRef,
  unit: UnitFacts,
  start: UnitStart,
  { rollout, target }: RollOutcome,
): NewAssignment | undefined {
  const found = findRevisionRecord(copy, ref, start.revision)
  const stage = rollout.ledger.find((e) => e.cluster === start.cluster)?.stage ?? WHOLE_STAGE
  // What is bound stays bound as it is.
  const values = unit.record?.values ?? unit.inventory?.spec.admitted?.values
  return found && assignmentOfStart(start, unit, { found, values, stage, target })
}

function removalOf({ inventory, record }: UnitFacts, module: Stored<Module>): NewAssignment {
  const { revision, bundle } = inventory?.spec.admitted ?? record ?? { revision: '', bundle: '' }
  return {
    revision,
    bundle,
    stage: WHOLE_STAGE,
    removal: { cause: 'Relabelled', policy: removalPolicy(module, 'Relabelled') },
  }
}

/** Undefined: what nothing was delivered by goes with its assignment. */
function writeRecord(
  copy: FleetCopy,
  ref: ModuleRef,
  module: Stored<Module>,
  { view, cluster }: UnitFacts,
  record: NewAssignment | undefined,
): void {
  const known = copy.unit(ref, view.cluster)
  if (known && !record) copy.inventories.drop(known)
  if (!record) return
  const assigned = toAssignment(module, record, assignmentOf(known))
  const inventory =
    known ?? plannedInventory(ref, module, { kind: cluster?.kind ?? 'Secret', name: view.cluster })
  copy.inventories.put({ ...inventory, spec: { ...inventory.spec, assigned } })
}

function plannedInventory(
  ref: ModuleRef,
  { metadata }: Stored<Module>,
  cluster: NewUnit['cluster'],
): Stored<Inventory> {
  const { metadata: own, ...inventory } = newInventory({ ref, uid: metadata.uid, cluster })
  const { creationTimestamp } = metadata
  const made = { uid: `planned/${own.name}`, creationTimestamp, resourceVersion: '0' }
  return { ...inventory, metadata: { ...own, name: own.name ?? '', ...made } }
}
