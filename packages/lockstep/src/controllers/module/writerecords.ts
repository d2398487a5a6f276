/** Writes a decision: the assignment of each unit, or its removal. */
import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Assignment, Module } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import {
  entryId,
  type ScheduleOutput,
  type TargetBundle,
  type UnitStart,
  WHOLE_STAGE,
} from '../../decisions/rollout/index.ts'
import { admittedAssignment, type NewAssignment } from '../cache/index.ts'
import { failed } from '../runtime/index.ts'
import { assignUnit } from './assign.ts'
import type { ModuleDeps } from './moduledeps.ts'
import { isPredecessors } from './predecessor.ts'
import { isReselected, removalOf, removalPolicy } from './removal/index.ts'
import { stageOf } from './rolloutstate.ts'
import type { RolloutMemory, ScheduleDecision } from './schedule.ts'
import { assignUnitTo, deleteAssignment, isUndelivered, unassign } from './unassign.ts'
import type { UnitFacts } from './unitviews.ts'

interface RecordedModule {
  readonly ref: ModuleRef
  readonly module: Stored<Module>
  readonly target: TargetBundle | undefined
}

type RecordedDecision = Pick<ScheduleDecision, 'rollout' | 'units'> & { readonly memory: RolloutMemory }

/** Writes all assignments of a decision; after a failure the decision is repeated. */
export async function writeRecords(
  c: ModuleDeps,
  m: RecordedModule,
  { rollout, units, memory }: RecordedDecision,
): Promise<ReconcileResult> {
  const { ref, module } = m
  const byName = new Map(units.map((u) => [u.view.cluster, u]))
  const writes = rollout.start.map((s) => {
    const unit = byName.get(s.cluster)!
    return s.kind === 'Remove' ? remove(c, m, unit) : assign(c, m, unit, s, rollout)
  })
  for (const cluster of rollout.withdraw) writes.push(withdraw(c, m, byName.get(cluster)!, memory))
  for (const u of units) {
    const stays =
      u.inventory && isReselected(u) ? admittedAssignment(u.inventory, u.record?.stage) : undefined
    if (stays) writes.push(writeRecord(c, ref, module, u, stays))
    // The Inventory is not this unit's any more: it was orphaned, or is of another cluster.
    if (u.record?.removal && !u.inventory) writes.push(removeRecord(c, ref, u))
    // A person may orphan the objects that remain; those of this Module, not of an earlier one with its name.
    if (!u.inventory || !u.record?.removal || isPredecessors(module, u.record)) continue
    const policy = removalPolicy(module, u.record.removal.cause)
    if (u.record.removal.policy !== policy)
      writes.push(writeRecord(c, ref, module, u, againRemoved(u.record, policy)))
  }
  const outcomes = await Promise.all(writes)
  return outcomes.find((o) => !o.ok) ?? { ok: true }
}

/** Records the removal of a unit. One of which nothing was delivered goes at once, also where its cluster is out of reach. */
function remove(c: ModuleDeps, { ref, module }: RecordedModule, unit: UnitFacts): Promise<ReconcileResult> {
  if (unit.inventory && isUndelivered(unit.inventory)) return removeRecord(c, ref, unit)
  const { revision, bundle } = unit.inventory?.spec.admitted ?? unit.record ?? { revision: '', bundle: '' }
  const removal = removalOf(module, unit)
  return writeRecord(c, ref, module, unit, { revision, bundle, stage: WHOLE_STAGE, removal })
}

/** Records the start of a unit; one without a stored revision is tried again. */
async function assign(
  c: ModuleDeps,
  { ref, module, target }: RecordedModule,
  unit: UnitFacts,
  start: UnitStart,
  rollout: ScheduleOutput,
): Promise<ReconcileResult> {
  const stage = stageOf(rollout, start.cluster)
  const record = await assignUnit(c, ref, unit, start, { stage, target })
  return record ? writeRecord(c, ref, module, unit, record) : { ok: false }
}

/** The next decision frees the slot. */
async function withdraw(
  c: ModuleDeps,
  { ref, module }: RecordedModule,
  unit: UnitFacts,
  { takenBack }: RolloutMemory,
): Promise<ReconcileResult> {
  const done = await unassign(c, ref, module, unit)
  if (!done.ok) return failed(done.error)
  const { cluster, recordRevision: revision = '' } = unit.view
  if (done.value) takenBack.add(entryId({ cluster, revision }))
  return { ok: true }
}

/** Sets the assignment of a unit. */
async function writeRecord(
  c: ModuleDeps,
  ref: ModuleRef,
  module: Stored<Module>,
  unit: UnitFacts,
  record: NewAssignment,
): Promise<ReconcileResult> {
  const done = await assignUnitTo(c, ref, module, unit, record)
  return done.ok ? { ok: true } : failed(done.error)
}

/** Deletes the assignment of a unit. */
export async function removeRecord(c: ModuleDeps, ref: ModuleRef, unit: UnitFacts): Promise<ReconcileResult> {
  const done = await deleteAssignment(c, ref, unit)
  return done.ok ? { ok: true } : failed(done.error)
}

/** The same removal under another policy. */
const againRemoved = ({ revision, bundle, stage, removal }: Assignment, policy: 'Delete' | 'Orphan') => ({
  revision,
  bundle,
  stage,
  removal: { ...removal!, policy },
})
