/** Units: admits revisions that their gates permit, delivers admitted ones, and removes units. */

import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { API_VERSION } from '../../api/apiversion.ts'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { type Assignment, type Inventory, inventoryKind } from '../../api/kinds/index.ts'
import { INVENTORY_FINALIZER } from '../../api/labels.ts'
import type { GateResult } from '../../decisions/gate/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { ClusterState } from '../../decisions/rollout/index.ts'
import { unitName } from '../../deliver/plan/index.ts'
import { pauseTimers, resumePausedTimers, type UnitMemory } from '../../deliver/state/index.ts'
import { isOrphanedUnit, isUnusedInventory } from '../../deliver/step/index.ts'
import { type ClusterView, identityChanged } from '../../fleet/clusters/index.ts'
import { type ClusterSession, SILENT_AGAIN_MS } from '../../fleet/connection/index.ts'
import {
  confirmLiveness,
  externalAssignment,
  isOtherCluster,
  recordedHub,
  writesHeldNow,
} from '../cache/index.ts'
import { dropInventory, quarantineInventory } from '../gc/index.ts'
import {
  always,
  atThisTime,
  type Controller,
  defineController,
  failed,
  hasFinalizer,
  on,
  type Request,
  type RequestReads,
  requeueAfter,
  soonest,
  type UnitKey,
  UnitWatches,
  unitKey,
} from '../runtime/index.ts'
import { type Admission, admit, rebind } from './admit.ts'
import { createInventory } from './delivery/createinventory.ts'
import type { UnitMemories } from './delivery/unitmemories.ts'
import { UnitDelivery } from './delivery.ts'
import { confirmUnassigned, externalOwnerBlocker } from './externalowner.ts'
import { dropTakenEntries } from './handover/droptakenentries.ts'
import { rebuildInventory } from './handover/rebuildinventory.ts'
import { returnedObjects } from './handover/returnedobjects.ts'
import { retryHooks } from './hooks/starthooks.ts'
import { Rehash } from './rehash.ts'
import { cancelRemoval, removeUnit } from './removeunit.ts'
import { accountOfUnit, UNIT_CONTROLLER, type UnitDeps, type UnitScope, unitRequest } from './unitscope.ts'
import { writeUnitStatus } from './unitstatus.ts'
import { admissionOutcome, decideAdmission, isOlderThan, unitTargetOf } from './unittarget.ts'
import type { UnitLabels } from './watch/unitlabels.ts'
import { unitOfInventory, unitWatches } from './watch/watches.ts'

/** `stopping`: nothing is sent to a cluster any more. */
export function unitController(
  d: UnitDeps,
  { labels, memories }: Pick<SharedUnits, 'labels' | 'memories'>,
  stopping: AbortSignal,
): Controller<UnitKey> {
  const { hub, fleet } = d
  const watched = { hub, fleet, labels }
  const shared = { labels, stopping, rehash: new Rehash(d), memories }
  return defineController({
    name: UNIT_CONTROLLER,
    key: unitKey,
    for: on('inventories', always, unitOfInventory),
    watches: unitWatches(watched),
    reconcile: (key, reads) =>
      new UnitReconciler(
        {
          ...d,
          hub: recordedHub(hub, { reads, own: { ref: key.ref, cluster: key.cluster }, breadth: 'Unit' }),
        },
        shared,
        reads,
      ).reconcile(key),
  })
}

/** What reconciles of units have in common. */
interface SharedUnits {
  readonly labels: UnitLabels
  readonly stopping: AbortSignal
  readonly rehash: Rehash
  readonly memories: UnitMemories
}

/** One reconcile of one unit. Its hub notes reads. */
class UnitReconciler {
  private readonly c: UnitDeps
  private readonly shared: SharedUnits
  private readonly reads: RequestReads

  constructor(d: UnitDeps, shared: SharedUnits, reads: RequestReads) {
    this.c = d
    this.shared = shared
    this.reads = reads
  }

  async reconcile(key: UnitKey): Promise<ReconcileResult> {
    const { ref, cluster: clusterName } = key
    const item = unitRequest(ref, clusterName)
    const { namespace } = ref
    const { hub, fleet } = this.c
    const cluster = fleet.view(namespace, clusterName)
    const inventory = hub.unit(ref, clusterName)
    const record =
      ref.owner === undefined
        ? hub.assignment(ref, clusterName)
        : externalAssignment(hub, ref, inventory?.spec.admitted?.revision)
    const isUnused = inventory !== undefined && !record && isUnusedInventory(inventory)
    if (!cluster || isUnused || (!record && !inventory)) {
      this.forget(item, ref, cluster)
      return isUnused ? dropInventory(this.c, inventory) : { ok: true }
    }
    if (inventory && isOrphanedUnit(inventory, record)) {
      this.forget(item, ref, cluster)
      return { ok: true }
    }
    const session = fleet.session(cluster, accountOfUnit(hub, ref))
    const { state } = fleet.condition(cluster)
    if (session?.state !== 'Connected' || !WORKED_ON.has(state)) return { ok: true }
    if (state === 'IdentityChanged' && !(inventory && isOtherCluster(inventory, session.uid)))
      return { ok: true }
    this.shared.labels.set(cluster, unitName(ref), key)
    // No cluster hears of that, so that nothing holds it up: neither a pause, nor a set that has no Module any more.
    if (inventory && isOtherCluster(inventory, session.uid) && this.isMeant(cluster, session))
      return quarantineInventory(this.c, inventory)
    const seen = { ref, cluster, session, record }
    const held = await writesHeldNow(this.c, seen)
    if (held) return { ...(await this.watchOnly(seen, item.id, inventory)), ...held }
    if (state === 'Paused') return this.watchOnly(seen, item.id, inventory)
    const refused = ref.owner === undefined ? undefined : externalOwnerBlocker(this.c, ref, record)
    // Removed: from now on nothing of the assemblage concerns it.
    if (!inventory && record?.removal) this.forget(item, ref, cluster)
    if (!inventory) {
      if (record?.removal || refused) return { ok: true }
      const made = await createInventory(this.c, ref, record!.uid, { cluster, session })
      return made.ok ? requeueAfter(1) : failed(made.error)
    }
    const memory = this.memoryOf(item.id, inventory)
    resumePausedTimers(memory, this.c.env.clock.steady())
    const scope = { ...seen, inventory, memory, label: unitName(ref) }
    for (const id of returnedObjects(scope)) memory.gone.delete(id)
    return this.work(scope)
  }

  /** Written down as the cluster that the name stands for. */
  private isMeant(cluster: ClusterView, session: ClusterSession): boolean {
    return this.c.fleet.record(cluster)?.uid === session.uid
  }

  /** Nothing is written to a paused cluster, or under a Hold; what others change there is said all the same. */
  private async watchOnly(
    seen: Pick<UnitScope, 'ref' | 'cluster' | 'session' | 'record'>,
    key: string,
    inventory: Stored<Inventory> | undefined,
  ): Promise<ReconcileResult> {
    if (!inventory?.spec.admitted || seen.record?.removal || isOtherCluster(inventory, seen.session.uid))
      return { ok: true }
    const memory = this.memoryOf(key, inventory)
    pauseTimers(memory, this.c.env.clock.steady())
    const scope = { ...seen, inventory, memory, label: unitName(seen.ref) }
    return new UnitDelivery(this.c, scope, this.shared.stopping).watchOnly()
  }

  private memoryOf(key: string, inventory: Stored<Inventory>): UnitMemory {
    return this.shared.memories.of(key, inventory, this.c.env.clock.steady())
  }

  /** The unit is gone, or its cluster is. */
  private forget(item: Request, ref: ModuleRef, cluster: ClusterView | undefined): void {
    this.shared.memories.delete(item.id)
    this.c.watchIndex.keep(item, new Set())
    if (cluster) this.shared.labels.delete(cluster, unitName(ref))
  }

  private async work(scope: UnitScope): Promise<ReconcileResult> {
    const { inventory, session, record } = scope
    if (isOtherCluster(inventory, session.uid)) {
      return writeUnitStatus(this.c, scope, {
        state: 'Failed',
        health: undefined,
        blockers: [identityChanged(scope.cluster, inventory.spec.clusterUid, session.uid)],
      })
    }
    if (inventory.metadata.deletionTimestamp !== undefined && hasFinalizer(inventory, INVENTORY_FINALIZER)) {
      const { namespace = '', name } = inventory.metadata
      const object = { apiVersion: API_VERSION, kind: inventoryKind.kind }
      const on = [{ kind: 'Object', namespace, name, object }] as const
      return writeUnitStatus(this.c, scope, {
        state: 'Failed',
        health: undefined,
        blockers: [blocked('DeletionBlocked', on, { because: 'Inventory' })],
      })
    }
    const rebuilt = await rebuildInventory(this.c, scope)
    if (rebuilt) return rebuilt
    const retried = await retryHooks(this.c, scope)
    if (retried) return retried
    if (record?.removal) {
      const stays = scope.ref.owner === undefined ? undefined : await confirmUnassigned(this.c, scope)
      if (stays) return stays
      new UnitWatches(this.c.watchIndex, unitRequest(scope.ref, scope.cluster.name), scope).close()
      return removeUnit(this.c, scope)
    }
    const stayed = record && (await cancelRemoval(this.c, scope))
    if (stayed) return stayed
    const rehashed = await this.shared.rehash.reconcile(scope)
    if (rehashed) return rehashed
    const wants = record && (await this.consider(scope, record))
    if (wants?.type === 'again') return wants.outcome
    const closed = wants?.type === 'blocked' ? wants : undefined
    const done = await this.deliver(scope, closed?.gate.blockers)
    return done.ok && closed?.transient ? { ok: false } : soonest(done, closed?.againMs)
  }

  private async deliver(
    scope: UnitScope,
    blockers: readonly NewBlocker[] | undefined,
  ): Promise<ReconcileResult> {
    if (scope.inventory.spec.admitted)
      return new UnitDelivery(this.c, scope, this.shared.stopping).run(blockers)
    const dropped = await dropTakenEntries(this.c, scope)
    if (dropped) return dropped
    const state = blockers && blockers.length > 0 ? 'Blocked' : 'Waiting'
    return writeUnitStatus(this.c, scope, { state, health: undefined, blockers: blockers ?? [] })
  }

  /** Whether the record asks for more than is admitted, and, if its gate is open, its admission. */
  private async consider(scope: UnitScope, record: Assignment): Promise<Considered> {
    const { hub } = this.c
    const { ref, cluster } = scope
    const refused = ref.owner === undefined ? undefined : externalOwnerBlocker(this.c, ref, record)
    if (refused) return { type: 'blocked', gate: { outcome: 'Closed', blockers: [refused] } }
    const wanting = unitTargetOf(hub, ref, cluster.name, record)
    if (!wanting) return { type: 'same' }
    const isOlder = isOlderThan(wanting, record)
    const rebound = isOlder || record.apart ? await rebind(this.c, scope, record) : undefined
    if (rebound) return consideredAs(rebound)
    const isSilent = !isOlder && (await confirmLiveness(this.c, ref, wanting.published, cluster.name))
    const now = atThisTime(this.c)
    const decided = decideAdmission(now, ref, cluster.name)
    this.reads.decided({
      outcome: admissionOutcome(decided),
      isBlocked: decided.type === 'Closed',
      again: () => admissionOutcome(decideAdmission(now, ref, cluster.name)),
    })
    if (decided.type === 'Same') return { type: 'same' }
    // No event says that a silent cluster answers again.
    const againMs = isSilent ? SILENT_AGAIN_MS : undefined
    if (decided.type === 'Closed') return { type: 'blocked', gate: decided.gate, againMs }
    return consideredAs(await admit(this.c, scope, record, decided.target))
  }
}

const consideredAs = (done: Admission): Considered =>
  done.type === 'closed'
    ? { type: 'blocked', gate: done.gate, transient: done.transient }
    : { type: 'again', outcome: done.outcome }

/** States of a cluster in which something is done, or said, of its units. */
const WORKED_ON: ReadonlySet<ClusterState> = new Set(['Connected', 'Paused', 'IdentityChanged'])

type Closed = Extract<GateResult, { outcome: 'Closed' }>
type Considered =
  | { readonly type: 'same' }
  | {
      readonly type: 'blocked'
      readonly gate: Closed
      readonly transient?: boolean | undefined
      /** When to ask again without an event. */
      readonly againMs?: number | undefined
    }
  | { readonly type: 'again'; readonly outcome: ReconcileResult }
