/** Modules and BootstrapModules: publish revisions, assign them to clusters, sum up what came of it. */
import { type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { accountOf } from '../../api/account.ts'
import type { NewBlocker } from '../../api/blocker.ts'
import { bootstrapModuleKind, type Module, type ModuleStatus, moduleKind } from '../../api/kinds/index.ts'
import { MODULE_FINALIZER, RETRY_ANNOTATION } from '../../api/labels.ts'
import { uncomparedReleases } from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import type { ScheduleOutput, TargetRevisionCause } from '../../decisions/rollout/index.ts'
import { moduleRefOf } from '../../deliver/plan/index.ts'
import { SILENT_AGAIN_MS } from '../../fleet/connection/index.ts'
import {
  APPROVAL_RETRY_MS,
  confirmLiveness,
  MODULE_CONTROLLER,
  observationOf,
  publishedFrom,
  REVIEW_AGAIN_MS,
  recordedHub,
} from '../cache/index.ts'
import {
  areReadable,
  BindingSources,
  isRefused,
  type Publication,
  Publisher,
  reconcileApplications,
  removeApplications,
  UnitBindings,
} from '../publish/index.ts'
import {
  always,
  atThisTime,
  type Controller,
  cacheOf,
  changed,
  defineController,
  done,
  ensureFinalizer,
  type FinalizersTarget,
  failed,
  hubTime,
  type ModuleKey,
  moduleEvents,
  moduleKey,
  moduleLines,
  on,
  type RequestReads,
  refreshHubClock,
  removeFinalizer,
  requeueAfter,
  rolloutResult,
  type StatusResult,
  soonest,
  waitsForTime,
} from '../runtime/index.ts'
import { completedRehash, type UnitLabels } from '../unit/index.ts'
import type { DeadlockVerdict } from './deadlock/index.ts'
import { decideAgain, scheduleOutcome } from './decideagain.ts'
import { updateHoldStatus } from './holdstatus.ts'
import { driftedUnits, handoversOf, moduleBlockers } from './moduleblockers.ts'
import type { ModuleDeps, ReconciledModule } from './moduledeps.ts'
import { emptyModuleMemory, type ModuleMemory } from './modulememory.ts'
import { moduleStatus } from './modulestatus.ts'
import { orphanUnit, unitsToOrphan } from './orphanunits.ts'
import { CONFIRMED_AGAIN_MS, type RemovalVerdict, removalProgressOf, removalsAfter } from './removal/index.ts'
import { saveRolloutHistory } from './rollouthistory.ts'
import { wasHaltedBefore } from './rolloutstate.ts'
import { type DesiredState, desiredStateFor, type SchedulerDeps } from './schedule.ts'
import { isUndelivered } from './unassign.ts'
import { hasNoUnits, type UnitFacts } from './unitviews.ts'
import { isUrgentStatus } from './urgentstatus.ts'
import { verifyApprovals } from './verifyapprovals.ts'
import { groupOfModule, moduleWatches } from './watches.ts'
import { removeRecord, writeRecords } from './writerecords.ts'

/** Counters and texts of a status are behind by at most so long. */
const DEBOUNCE_MS = 1000

/** A decision reads every unit, and every unit that moves asks for one: with many units, one decision serves many. */
const REST_MS_PER_UNIT = 2
const MOST_REST_MS = 1000
/** Up to this number decisions follow each other at once. */
const FEW_UNITS = 10

export function moduleController(d: ModuleDeps, labels: UnitLabels): Controller<ModuleKey> {
  const { hub, fleet, publishing } = d
  const watched = { hub, fleet, labels, watchIndex: publishing.watchIndex }
  const reconciler = new ModuleReconciler(d)
  return defineController({
    name: MODULE_CONTROLLER,
    key: moduleKey,
    for: on('modules', always, (m) => [moduleKey.of(moduleRefOf(m))]),
    owns: [on('modules', changed, groupOfModule), on('bootstrapModules', changed, groupOfModule)],
    watches: moduleWatches(watched),
    reconcile: (key, reads) => reconciler.reconcile(key, reads),
  })
}

class ModuleReconciler {
  private readonly c: ModuleDeps
  private readonly scheduler: SchedulerDeps & Pick<ModuleDeps, 'hub'>
  private readonly memories = new Map<string, ModuleMemory>()

  constructor(d: ModuleDeps) {
    this.c = d
    this.scheduler = { ...d, maxRemoval: d.limits.maxRemoval }
  }

  async reconcile({ ref }: ModuleKey, reads: RequestReads): Promise<ReconcileResult> {
    const id = moduleId(ref)
    const hub = recordedHub(this.c.hub, { reads, own: { ref }, breadth: 'Fleet' })
    const module = this.c.hub.module(ref)
    const account = module ? accountOf(module) : { namespace: ref.namespace }
    const sources = new BindingSources(this.c.publishing, ref, account)
    if (!module) {
      sources.close()
      this.memories.delete(id)
      this.c.publishing.content.upstreams.forget(id)
      this.c.publishing.content.progress.forget(ref)
      this.c.status.forget(cacheOf(ref), ref)
      this.c.limits.removals.forget(ref)
      this.c.limits.deadlocks.forget(ref)
      return soonest(await updateHoldStatus(this.c, ref, new Map()))
    }
    const memory = this.memories.get(id) ?? emptyModuleMemory()
    this.memories.set(id, memory)
    const isDeleting = module.metadata.deletionTimestamp !== undefined
    // Before anything of it exists anywhere: from now on nobody can remove it behind our back.
    const kept = isDeleting ? undefined : await ensureFinalizer(this.target(ref), module, MODULE_FINALIZER)
    if (kept) return kept
    const published = isDeleting
      ? { current: this.publisher(hub).currentOf(ref, module) }
      : await this.published({ ref, module, hub, reads }, memory, sources)
    if (isDeleting) await removeApplications(this.c.publishing, ref, module)
    const rolled = await this.roll({ ref, module, hub, reads }, memory, published, sources)
    return soonest(rolled, await updateHoldStatus(this.c, ref, memory.used))
  }

  /** And what is published has the Modules of its applications beside it. */
  private async published(
    { ref, module, hub }: ReconciledModule,
    memory: ModuleMemory,
    sources: BindingSources,
  ): Promise<Publication> {
    const published = await this.publisher(hub).publish(ref, module, memory.settling, sources)
    if (published.settlesInMs !== undefined) this.c.publishing.content.progress.note(ref, published)
    const source = await reconcileApplications(this.c.publishing, ref, module, published.current, hub)
    return source && !published.source ? { ...published, source } : published
  }

  private publisher(hub: ReconciledModule['hub']): Publisher {
    return new Publisher({ ...this.c.publishing, hub })
  }

  private target(ref: ModuleRef): FinalizersTarget<Module> {
    const { hub } = this.c
    const observeWrite = (o: Stored<Module>) => hub[cacheOf(ref)].observeWrite(o)
    return { own: hub.own, kind: kindOf(ref), purpose: 'status', observeWrite }
  }

  private async roll(
    { ref, module, hub, reads }: ReconciledModule,
    memory: ModuleMemory,
    publication: Publication,
    sources: BindingSources,
  ): Promise<ReconcileResult> {
    const { current } = publication
    const wait = publication.settlesInMs === undefined ? {} : { requeueAfterMs: publication.settlesInMs }
    if (publication.pending) return { ok: true, ...wait }
    const isDeleting = module.metadata.deletionTimestamp !== undefined
    const { goal, wanted, target } = desiredStateFor(hub, ref, module, current)
    // What is published now counts at once, also before the status says so.
    const published = wanted && publishedFrom(wanted, module)
    if (waitsForTime(module)) await refreshHubClock(this.c, ref.namespace)
    const isSilent = published !== undefined && (await confirmLiveness({ ...this.c, hub }, ref, published))
    const bindings = await UnitBindings.open(this.c.publishing, ref, module, sources, wanted)
    const seen = observationOf({ ...this.c, hub }, ref.namespace)
    const guarded = await this.c.limits.removals.look(ref, module)
    if (!guarded.ok) return failed(guarded.error)
    const guard = guarded.value
    const budgets = this.c.limits.budgets.of(ref.namespace)
    const inputs = { bindings, budgets: budgets.map((b) => b.view), guard }
    const scheduler = { ...this.scheduler, hub }
    const decided = await verifyApprovals(scheduler, {
      ref,
      module,
      memory: memory.rollout,
      published,
      target,
      seen,
      ...inputs,
      cause: goal?.cause,
    })
    sources.close()
    const { rollout, units, holdsEndInMs, isBehind } = decided
    if (!(await areReadable(this.c.hub, module, sources, rollout))) return requeueAfter(1)
    const now = atThisTime(scheduler)
    // By Approvals that are not as the caches have them: it is decided again soon.
    if (!isBehind)
      reads.decided({
        outcome: scheduleOutcome(rollout),
        isBlocked: rollout.blockers.length > 0,
        again: () => decideAgain(now, ref, memory.rollout, inputs),
      })
    const warnings = published ? uncomparedReleases(ref, published, seen).map((b) => b.message) : []
    const before = module.status?.rollout?.ledger ?? []
    const full = await this.c.limits.budgets.take(ref, budgets, before, rollout)
    if (full) return full
    // A removal in the ledger was counted when it was written there.
    const known = new Set(before.flatMap((e) => (e.kind === 'Remove' ? [e.cluster] : [])))
    const begun = rollout.start.filter((s) => s.kind === 'Remove' && !known.has(s.cluster)).length
    const unstored = await this.c.limits.removals.begin(module, begun)
    if (unstored) return unstored
    const deadlock = this.deadlock(ref, module, rollout, goal?.cause)
    const reported = { publication, goal, wanted, guard, deadlock }
    const status = this.statusOf(ref, module, reported, rollout, units, warnings)
    const written = await this.writeStatus(ref, module, status, budgets.length > 0)
    if (written.error) return written
    // Until the status names the published revision, its claims may be unknown to others.
    this.c.publishing.content.progress.note(ref, publication)
    this.c.limits.budgets.committed(ref, before, budgets.length === 0 ? before : rollout.ledger)
    const decision = { rollout, units, memory: memory.rollout }
    const recorded = await writeRecords(this.c, { ref, module, target }, decision)
    if (!recorded.ok) return recorded
    const unsettled = await this.c.limits.budgets.settle(ref, budgets, rollout.awaited)
    if (unsettled) return unsettled
    const kept = await saveRolloutHistory(this.c, ref, module.status, status)
    if (!kept.ok) return failed(kept.error)
    const left = isDeleting && !guard.unconfirmed ? await this.leave(ref, module, units) : undefined
    if (left) return left
    const wakes = [
      publication.settlesInMs,
      publication.againInMs,
      rollout.wakeInMs,
      holdsEndInMs,
      deadlock.againInMs,
      written.requeueAfterMs,
      publication.source?.transient ? 30_000 : undefined,
      isRefused(this.c.hub, module, sources, publication) ? REVIEW_AGAIN_MS : undefined,
      isSilent ? SILENT_AGAIN_MS : undefined,
      isBehind ? APPROVAL_RETRY_MS : undefined,
      guard.unconfirmed ? CONFIRMED_AGAIN_MS : undefined,
      // Its slot is free now.
      rollout.withdraw.length > 0 ? 1 : undefined,
      isRollbackDue(module, rollout) ? 1 : undefined,
    ]
    return soonest(...wakes, restAfter(units))
  }

  /** What it goes without is released before it goes; undefined: it waits for its units. */
  private async leave(
    ref: ModuleRef,
    module: Stored<Module>,
    units: readonly UnitFacts[],
  ): Promise<ReconcileResult | undefined> {
    const given = unitsToOrphan(module, units).map((u) =>
      u.inventory && !isUndelivered(u.inventory)
        ? orphanUnit(this.c, u.inventory, module.metadata.uid)
        : removeRecord(this.c, ref, u),
    )
    const outcomes = await Promise.all(given)
    if (outcomes.length > 0) return outcomes.find((o) => !o.ok) ?? requeueAfter(1)
    const latest = this.c.hub.module(ref)
    if (!latest || !hasNoUnits(units)) return undefined
    return removeFinalizer(this.target(ref), latest, MODULE_FINALIZER)
  }

  private deadlock(
    ref: ModuleRef,
    module: Stored<Module>,
    { waits }: ScheduleOutput,
    cause: TargetRevisionCause | undefined,
  ): DeadlockVerdict {
    const isQueuing = module.spec.rollout.supersede === 'Wait'
    return this.c.limits.deadlocks.look(module, { ref, waits, cause, isQueuing })
  }

  private statusOf(
    ref: ModuleRef,
    module: Stored<Module>,
    {
      publication,
      goal,
      wanted,
      guard,
      deadlock,
    }: Pick<DesiredState, 'goal' | 'wanted'> & {
      readonly publication: Publication
      readonly guard: RemovalVerdict
      readonly deadlock: DeadlockVerdict
    },
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
      rehashed: completedRehash(this.c.publishing.content.keys, module, publication, units),
      retried: rollout.retried ? module.metadata.annotations?.[RETRY_ANNOTATION] : undefined,
      rollout,
      removal: removalProgressOf(rollout.removals, rollout.ledger, units),
      blockers: [
        ...deadlock.blockers,
        ...unconfirmedBlockers(guard, rollout),
        ...moduleBlockers(module, units, this.c.fleet.of(ref.namespace)),
      ],
      notCompared: warnings,
      older: publication.older,
      behind: publication.behind,
      drifted: driftedUnits(units),
      handovers: handoversOf(units),
      now: timestamp(nowMs),
    })
    const removals = removalsAfter(this.c.limits, module, units, rollout, guard, nowMs)
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
    isShared: boolean,
  ): Promise<StatusResult<Module>> {
    const written = await this.c.status.update(cacheOf(ref), module, status, {
      debounceMs: DEBOUNCE_MS,
      urgent: (before, after) => isUrgentStatus(before, after, isShared),
      events: moduleEvents,
      lines: moduleLines,
    })
    const result = written.isWritten ? rolloutResult(module.status, status) : undefined
    if (result) this.c.env.meters.count('lockstep_rollouts_total', { result })
    return written
  }
}

const restAfter = ({ length }: readonly UnitFacts[]): ReconcileResult =>
  length <= FEW_UNITS ? done : { ok: true, restMs: Math.min(length * REST_MS_PER_UNIT, MOST_REST_MS) }

/** A rollout that has just failed is rolled back by the next decision. */
const isRollbackDue = (module: Stored<Module>, { haltedAt }: ScheduleOutput): boolean =>
  haltedAt !== undefined && module.spec.rollout.onFailure === 'Rollback' && !wasHaltedBefore(module)

/** Clusters of a deleted Namespace may be unknown, so that no unit has this blocker. */
const unconfirmedBlockers = ({ unconfirmed }: RemovalVerdict, { blockers }: ScheduleOutput): NewBlocker[] =>
  unconfirmed && !blockers.some((b) => b.reason === unconfirmed.reason) ? [unconfirmed] : []

const kindOf = (ref: ModuleRef) => (ref.kind === 'Module' ? moduleKind : bootstrapModuleKind)
