/** Modules and BootstrapModules: publish revisions, assign them to clusters, sum up what came of it. */
import { jsonEqual, keyOf, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult, Request } from '@lockstep/kube/workqueue'
import {
  type Assignment,
  bootstrapModuleKind,
  type Module,
  type ModuleStatus,
  moduleKind,
} from '../../api/kinds/index.ts'
import { MANAGER, MODULE_FINALIZER, RETRY_ANNOTATION } from '../../api/labels.ts'
import { uncomparedReleases } from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleId, refOfId } from '../../decisions/graph/index.ts'
import {
  entryId,
  type ScheduleOutput,
  type TargetBundle,
  type UnitStart,
} from '../../decisions/rollout/index.ts'
import {
  APPROVAL_RETRY_MS,
  type ControllerContext,
  confirmLiveness,
  type NewAssignment,
  observationOf,
  publishedFrom,
} from '../cache/index.ts'
import {
  BindingSources,
  type Publication,
  Publisher,
  reconcileApplications,
  removeApplications,
  UnitBindings,
} from '../publish/index.ts'
import {
  failedWrite,
  hubTime,
  isUrgent,
  moduleEvents,
  refreshHubClock,
  remainingDebounceMs,
  waitsForTime,
} from '../runtime/index.ts'
import { completedRehash } from '../unit/index.ts'
import { assignUnit } from './assign.ts'
import { updateHoldStatus } from './holdstatus.ts'
import { isReselected, removalOf, removalPolicy, removalsAfter } from './membership.ts'
import { driftedUnits, moduleBlockers } from './moduleblockers.ts'
import { emptyModuleMemory, type ModuleMemory } from './modulememory.ts'
import { moduleStatus } from './modulestatus.ts'
import { orphanUnit, unitsToOrphan } from './orphanunits.ts'
import { isPredecessors } from './predecessor.ts'
import { saveRolloutHistory } from './rollouthistory.ts'
import { stageOf, wasHaltedBefore } from './rolloutstate.ts'
import { type DesiredState, desiredStateFor, type RolloutMemory, type ScheduleDecision } from './schedule.ts'
import { admittedAssignment, unassign, writeUnitAssignment } from './unassign.ts'
import { hasNoUnits, type UnitFacts } from './unitviews.ts'
import { verifyApprovals } from './verifyapprovals.ts'

export const MODULE_CONTROLLER = 'module'

/** Counters and texts of a status are behind by at most so long. */
const HOLD_MS = 1000

/** A cluster that others wait for and that does not answer is asked again after so long. */
const SILENT_AGAIN_MS = 10_000

type LedgerWrite =
  | { readonly isCommitted: true; readonly heldMs: number | undefined }
  | { readonly isCommitted: false; readonly outcome: ReconcileResult }

export class ModuleReconciler {
  private readonly c: ControllerContext
  private readonly publisher: Publisher
  private readonly memories = new Map<string, ModuleMemory>()

  constructor(context: ControllerContext) {
    this.c = context
    this.publisher = new Publisher(context)
  }

  item(ref: ModuleRef): Request {
    return { controller: MODULE_CONTROLLER, cluster: 'hub', key: moduleId(ref) }
  }

  async reconcile(item: Request): Promise<ReconcileResult> {
    const ref = refOfId(item.key)
    const module = this.c.hub.module(ref)
    const sources = new BindingSources(this.c, ref)
    if (!module) {
      sources.close()
      this.memories.delete(item.key)
      this.c.upstreams.forget(moduleId(ref))
      return again({ ok: true }, await updateHoldStatus(this.c, ref, new Map()))
    }
    const memory = this.memories.get(item.key) ?? emptyModuleMemory()
    this.memories.set(item.key, memory)
    const isDeleting = module.metadata.deletionTimestamp !== undefined
    if (!isDeleting && !module.metadata.finalizers?.includes(MODULE_FINALIZER))
      return this.addFinalizer(ref, module)
    const published = isDeleting
      ? { current: this.publisher.currentOf(ref, module) }
      : await this.published(ref, module, memory, sources)
    if (isDeleting) await removeApplications(this.c, ref, module)
    const rolled = await this.roll(ref, module, memory, published, sources)
    return again(rolled, await updateHoldStatus(this.c, ref, memory.used))
  }

  /** And what is published has the Modules of its applications beside it. */
  private async published(
    ref: ModuleRef,
    module: Stored<Module>,
    memory: ModuleMemory,
    sources: BindingSources,
  ): Promise<Publication> {
    const published = await this.publisher.publish(ref, module, memory.settling, sources.shared())
    const source = await reconcileApplications(this.c, ref, module, published.current)
    return source && !published.source ? { ...published, source } : published
  }

  /** Before anything of it exists anywhere: from now on nobody can remove it behind our back. */
  private async addFinalizer(ref: ModuleRef, module: Stored<Module>): Promise<ReconcileResult> {
    const finalizers = [...(module.metadata.finalizers ?? []), MODULE_FINALIZER]
    return this.patchFinalizers(ref, module, finalizers)
  }

  private async patchFinalizers(
    ref: ModuleRef,
    module: Stored<Module>,
    finalizers: readonly string[],
  ): Promise<ReconcileResult> {
    const { uid, resourceVersion } = module.metadata
    const patch = { metadata: { finalizers: [...finalizers] } }
    const done = await this.c.hub.client.patch(kindOf(ref), keyOf(module), patch, {
      purpose: 'status',
      manager: MANAGER,
      precondition: { uid, resourceVersion },
    })
    if (!done.ok) return failedWrite(this.c, done.error)
    this.informerOf(ref).observeWrite(done.value)
    return { ok: true }
  }

  private async roll(
    ref: ModuleRef,
    module: Stored<Module>,
    memory: ModuleMemory,
    publication: Publication,
    sources: BindingSources,
  ): Promise<ReconcileResult> {
    const { current } = publication
    const wait = publication.settlesInMs === undefined ? {} : { requeueAfterMs: publication.settlesInMs }
    if (publication.pending) return { ok: true, ...wait }
    const isDeleting = module.metadata.deletionTimestamp !== undefined
    const { goal, wanted, target } = desiredStateFor(this.c.hub, ref, module, current)
    // What is published now counts at once, also before the status says so.
    const published = wanted && publishedFrom(wanted, module)
    if (waitsForTime(module)) await refreshHubClock(this.c, ref.namespace)
    const isSilent = published !== undefined && (await confirmLiveness(this.c, ref, published))
    const bindings = await UnitBindings.open(this.c, ref, module, sources, wanted)
    const seen = observationOf(this.c, ref.namespace)
    const budgets = this.c.budgets.of(ref.namespace)
    const decided = await verifyApprovals(this.c, {
      ref,
      module,
      memory: memory.rollout,
      published,
      target,
      seen,
      bindings,
      budgets: budgets.map((b) => b.view),
      cause: goal?.cause,
    })
    sources.close()
    const { rollout, units, holdsEndInMs, isBehind } = decided
    const warnings = published ? uncomparedReleases(ref, published, seen).map((b) => b.message) : []
    const before = module.status?.rollout?.ledger ?? []
    const full = await this.c.budgets.take(ref, budgets, before, rollout)
    if (full) return full
    const status = this.statusOf(ref, module, { publication, goal, wanted }, rollout, units, warnings)
    const written = await this.writeStatus(ref, module, status, memory, budgets.length > 0)
    if (!written.isCommitted) return written.outcome
    this.c.budgets.committed(ref, before, budgets.length === 0 ? before : rollout.ledger)
    const recorded = await this.writeRecords(ref, module, target, { rollout, units, memory: memory.rollout })
    if (!recorded.ok) return recorded
    const unsettled = await this.c.budgets.settle(ref, budgets, rollout.awaited)
    if (unsettled) return unsettled
    const kept = await saveRolloutHistory(this.c, ref, module.status, status)
    if (!kept.ok) return failedWrite(this.c, kept.error)
    const left = isDeleting ? await this.leave(ref, module, units) : undefined
    if (left) return left
    const wakes = [
      publication.settlesInMs,
      publication.againInMs,
      rollout.wakeInMs,
      holdsEndInMs,
      written.heldMs,
      publication.source?.transient ? 30_000 : undefined,
      isSilent ? SILENT_AGAIN_MS : undefined,
      isBehind ? APPROVAL_RETRY_MS : undefined,
      // Its slot is free now.
      rollout.withdraw.length > 0 ? 1 : undefined,
      // What has just failed is led back with the next look.
      rollout.haltedAt !== undefined &&
      module.spec.rollout.onFailure === 'Rollback' &&
      !wasHaltedBefore(module)
        ? 1
        : undefined,
    ].filter((x) => x !== undefined)
    return wakes.length > 0 ? { ok: true, requeueAfterMs: Math.max(1, Math.min(...wakes)) } : { ok: true }
  }

  /** What it goes without is released before it goes; undefined: it waits for its units. */
  private async leave(
    ref: ModuleRef,
    module: Stored<Module>,
    units: readonly UnitFacts[],
  ): Promise<ReconcileResult | undefined> {
    const given = unitsToOrphan(module, units).map((u) =>
      u.inventory
        ? orphanUnit(this.c, u.inventory, module.metadata.uid)
        : this.write(ref, module, u, undefined),
    )
    const outcomes = await Promise.all(given)
    if (outcomes.length > 0) return outcomes.find((o) => !o.ok) ?? { ok: true, requeueAfterMs: 1 }
    const latest = this.c.hub.module(ref)
    if (!latest || !hasNoUnits(units)) return undefined
    const finalizers = latest.metadata.finalizers?.filter((f) => f !== MODULE_FINALIZER) ?? []
    return this.patchFinalizers(ref, latest, finalizers)
  }

  private statusOf(
    ref: ModuleRef,
    module: Stored<Module>,
    {
      publication,
      goal,
      wanted,
    }: Pick<DesiredState, 'goal' | 'wanted'> & { readonly publication: Publication },
    rollout: ScheduleOutput,
    units: readonly UnitFacts[],
    warnings: readonly string[],
  ): ModuleStatus {
    const { nowMs } = hubTime(this.c)
    const status = moduleStatus({
      module,
      goal,
      wanted,
      current: publication.current,
      settling: publication.settlesInMs !== undefined,
      source: publication.source,
      handled: publication.handled,
      rehashed: completedRehash(this.c, module, publication, units),
      retried: rollout.retried ? module.metadata.annotations?.[RETRY_ANNOTATION] : undefined,
      rollout,
      blockers: moduleBlockers(module, units, this.c.fleet.of(ref.namespace)),
      notCompared: warnings,
      older: publication.older,
      drifted: driftedUnits(units),
      now: timestamp(nowMs),
    })
    const removals = removalsAfter(this.c, module, units, rollout, nowMs)
    return { ...status, rollout: { ...status.rollout!, ...removals } }
  }

  /**
   * The ledger is in the status: it is committed before any record is written. What is held back for a moment has the
   * ledger that is there; whoever lost the fence decided on a module that is no more.
   */
  private async writeStatus(
    ref: ModuleRef,
    module: Stored<Module>,
    status: ModuleStatus,
    { held }: ModuleMemory,
    isShared: boolean,
  ): Promise<LedgerWrite> {
    const isSame = jsonEqual(status, module.status)
    if (!isSame && !isUrgent(module.status, status, isShared)) {
      const left = remainingDebounceMs(held, this.c.env.clock.steady(), HOLD_MS)
      if (left > 0) return { isCommitted: true, heldMs: left }
    }
    held.since = undefined
    if (isSame) return { isCommitted: true, heldMs: undefined }
    const done = await this.c.hub.client.update(
      kindOf(ref),
      { ...module, status },
      { purpose: 'status', manager: MANAGER, subresource: 'status' },
    )
    if (!done.ok) return { isCommitted: false, outcome: failedWrite(this.c, done.error) }
    this.informerOf(ref).observeWrite(done.value)
    this.c.events.record(done.value, moduleEvents(module.status, status))
    return { isCommitted: true, heldMs: undefined }
  }

  private async writeRecords(
    ref: ModuleRef,
    module: Stored<Module>,
    target: TargetBundle | undefined,
    {
      rollout,
      units,
      memory,
    }: Pick<ScheduleDecision, 'rollout' | 'units'> & { readonly memory: RolloutMemory },
  ): Promise<ReconcileResult> {
    const byName = new Map(units.map((u) => [u.view.cluster, u]))
    const writes = rollout.start.map((s) => {
      const unit = byName.get(s.cluster)!
      if (s.kind !== 'Remove') return this.assign(ref, module, unit, s, { rollout, target })
      const { revision, bundle } = unit.inventory?.spec.admitted ??
        unit.record ?? { revision: '', bundle: '' }
      const removal = removalOf(module, unit)
      return this.write(ref, module, unit, { revision, bundle, stage: 'all', removal })
    })
    for (const cluster of rollout.withdraw)
      writes.push(this.withdraw(ref, module, byName.get(cluster)!, memory))
    for (const u of units) if (isReselected(u)) writes.push(this.write(ref, module, u, admittedAssignment(u)))
    // Left: the Inventory is gone, so the record goes.
    for (const u of units)
      if (u.record?.removal && !u.inventory) writes.push(this.write(ref, module, u, undefined))
    // A person may give up what is still to be done before the objects go; of this module, not of one that had its name.
    for (const u of units) {
      if (!u.inventory || !u.record?.removal || isPredecessors(module, u.record)) continue
      const policy = removalPolicy(module, u.record.removal.cause)
      if (u.record.removal.policy !== policy)
        writes.push(this.write(ref, module, u, againRemoved(u.record, policy)))
    }
    const outcomes = await Promise.all(writes)
    return outcomes.find((o) => !o.ok) ?? { ok: true }
  }

  /** A record of a start; what cannot be written down now brings us back. */
  private async assign(
    ref: ModuleRef,
    module: Stored<Module>,
    unit: UnitFacts,
    start: UnitStart,
    { rollout, target }: { readonly rollout: ScheduleOutput; readonly target: TargetBundle | undefined },
  ): Promise<ReconcileResult> {
    const stage = stageOf(rollout, start.cluster)
    const record = await assignUnit(this.c, ref, unit, start, { stage, target })
    return record ? this.write(ref, module, unit, record) : { ok: false }
  }

  /** What held its slot is let go of with the next look. */
  private async withdraw(
    ref: ModuleRef,
    module: Stored<Module>,
    unit: UnitFacts,
    { takenBack }: RolloutMemory,
  ): Promise<ReconcileResult> {
    const done = await unassign(this.c, ref, module, unit)
    if (!done.ok) return failedWrite(this.c, done.error)
    const { cluster, recordRevision: revision = '' } = unit.view
    if (done.value) takenBack.add(entryId({ cluster, revision }))
    return { ok: true }
  }

  private async write(
    ref: ModuleRef,
    module: Stored<Module>,
    unit: UnitFacts,
    record: NewAssignment | undefined,
  ): Promise<ReconcileResult> {
    const done = await writeUnitAssignment(this.c, ref, module, unit, record)
    return done.ok ? { ok: true } : failedWrite(this.c, done.error)
  }

  private informerOf(ref: ModuleRef) {
    return ref.kind === 'Module' ? this.c.hub.modules : this.c.hub.bootstrapModules
  }
}

const kindOf = (ref: ModuleRef) => (ref.kind === 'Module' ? moduleKind : bootstrapModuleKind)

/** As soon as one of both asks for it; what has failed is tried again at its own pace. */
const again = (done: ReconcileResult, afterMs: number | undefined): ReconcileResult =>
  !done.ok || afterMs === undefined
    ? done
    : { ...done, requeueAfterMs: Math.max(1, Math.min(afterMs, done.requeueAfterMs ?? afterMs)) }

/** The same removal under another policy. */
const againRemoved = ({ revision, bundle, stage, removal }: Assignment, policy: 'Delete' | 'Orphan') => ({
  revision,
  bundle,
  stage,
  removal: { ...removal!, policy },
})
