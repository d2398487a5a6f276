/** Units: one module on one cluster. Admits what its gate lets through, delivers what is admitted, removes what leaves. */

import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { API_VERSION } from '../../api/apiversion.ts'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { type Assignment, type Inventory, inventoryKind } from '../../api/kinds/index.ts'
import { BUCKET_LABEL, INVENTORY_FINALIZER, MANAGER } from '../../api/labels.ts'
import { type GateResult, gate } from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleEdges } from '../../decisions/graph/index.ts'
import type { ClusterState } from '../../decisions/rollout/index.ts'
import { bucketOf, inventoryName, unitName } from '../../deliver/plan/index.ts'
import { emptyMemory, pauseTimers, resumePausedTimers, type UnitMemory } from '../../deliver/state/index.ts'
import { isOrphanedUnit } from '../../deliver/step/index.ts'
import { type ClusterView, identityChanged } from '../../fleet/clusters/index.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'
import {
  assignmentOn,
  confirmLiveness,
  externalAssignment,
  isOtherCluster,
  observationOf,
  writesHeldNow,
} from '../cache/index.ts'
import { quarantineInventory } from '../gc/index.ts'
import {
  always,
  type Controller,
  defineController,
  failed,
  hasFinalizer,
  on,
  type Request,
  requeueAfter,
  type UnitKey,
  UnitWatches,
  unitKey,
} from '../runtime/index.ts'
import { type Admission, admit, rebind } from './admit.ts'
import { UnitDelivery } from './delivery.ts'
import { confirmUnassigned, externalOwnerBlocker, externalOwnerLabel } from './externalowner.ts'
import { retryHooks } from './hooks/starthooks.ts'
import { Rehash } from './rehash.ts'
import { cancelRemoval, removeUnit } from './removeunit.ts'
import { UNIT_CONTROLLER, type UnitDeps, type UnitScope, unitRequest } from './unitscope.ts'
import { writeUnitStatus } from './unitstatus.ts'
import { isAdmittedAsAsked, isOlderThan, unitTargetOf } from './unittarget.ts'
import type { UnitLabels } from './watch/unitlabels.ts'
import { unitOfInventory, unitWaitWatches, unitWatches } from './watch/watches.ts'

/** `stopping`: nothing is sent to a cluster any more. */
export function unitController(d: UnitDeps, labels: UnitLabels, stopping: AbortSignal): Controller<UnitKey> {
  const { hub, fleet } = d
  const watched = { hub, fleet, labels }
  const reconciler = new UnitReconciler(d, labels, stopping)
  return defineController({
    name: UNIT_CONTROLLER,
    key: unitKey,
    for: on('inventories', always, unitOfInventory),
    watches: [...unitWatches(watched), ...unitWaitWatches(watched)],
    reconcile: (key) => reconciler.reconcile(key),
  })
}

class UnitReconciler {
  private readonly c: UnitDeps
  private readonly rehash: Rehash
  private readonly memories = new Map<string, { readonly uid: string; readonly memory: UnitMemory }>()
  private readonly labels: UnitLabels
  private readonly stopping: AbortSignal

  constructor(d: UnitDeps, labels: UnitLabels, stopping: AbortSignal) {
    this.c = d
    this.rehash = new Rehash(d)
    this.labels = labels
    this.stopping = stopping
  }

  async reconcile(key: UnitKey): Promise<ReconcileResult> {
    const { ref, cluster: clusterName } = key
    const item = unitRequest(ref, clusterName)
    const { namespace } = ref
    const { hub, fleet } = this.c
    const cluster = fleet.view(namespace, clusterName)
    const inventory = hub.inventories.store.get({ namespace, name: inventoryName(ref, clusterName) })
    const record =
      ref.owner === undefined
        ? assignmentOn(hub, ref, clusterName)
        : externalAssignment(hub, ref, inventory?.spec.admitted?.revision)
    if (!cluster || (!record && !inventory)) {
      this.forget(item, ref, cluster)
      return { ok: true }
    }
    if (inventory && isOrphanedUnit(inventory, record)) {
      this.forget(item, ref, cluster)
      return { ok: true }
    }
    const session = fleet.session(cluster)
    const { state } = fleet.condition(cluster)
    if (session?.state !== 'Connected' || !WORKED_ON.has(state)) return { ok: true }
    if (state === 'IdentityChanged' && !(inventory && isOtherCluster(inventory, session.uid)))
      return { ok: true }
    this.labels.set(cluster, unitName(ref), key)
    // No cluster hears of that, so that nothing holds it up: neither a pause, nor a set that has no Module any more.
    if (inventory && isOtherCluster(inventory, session.uid) && this.isMeant(cluster, session))
      return quarantineInventory(this.c, inventory)
    const seen = { ref, cluster, session, record }
    const held = await writesHeldNow(this.c, seen)
    if (held) return { ...(await this.watchOnly(seen, item.id, inventory)), ...held }
    if (state === 'Paused') return this.watchOnly(seen, item.id, inventory)
    const refused = ref.owner === undefined ? undefined : externalOwnerBlocker(this.c, ref, record)
    if (!inventory)
      return record?.removal || refused ? { ok: true } : this.createInventory(ref, record!, cluster, session)
    const memory = this.memoryOf(item.id, inventory)
    resumePausedTimers(memory, this.c.env.clock.steady())
    return this.work({ ...seen, inventory, memory, label: unitName(ref) })
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
    return new UnitDelivery(this.c, scope, this.stopping).watchOnly()
  }

  /** Of one Inventory: what was known of another one of its name is nothing about this one. */
  private memoryOf(key: string, inventory: Stored<Inventory>): UnitMemory {
    const { uid } = inventory.metadata
    const known = this.memories.get(key)
    if (known?.uid === uid) return known.memory
    const memory = emptyMemory(this.c.env.clock.steady())
    this.memories.set(key, { uid, memory })
    return memory
  }

  /** The unit is gone, or its cluster is. */
  private forget(item: Request, ref: ModuleRef, cluster: ClusterView | undefined): void {
    this.memories.delete(item.id)
    this.c.watchIndex.keep(item, new Set())
    if (cluster) this.labels.delete(cluster, unitName(ref))
  }

  /** Before the first object: what the unit owns is always written down somewhere. */
  private async createInventory(
    ref: ModuleRef,
    record: Assignment,
    cluster: ClusterView,
    session: ClusterSession,
  ): Promise<ReconcileResult> {
    const body: Inventory = {
      apiVersion: API_VERSION,
      kind: inventoryKind.kind,
      metadata: {
        name: inventoryName(ref, cluster.name),
        namespace: ref.namespace,
        labels: { [BUCKET_LABEL]: bucketOf(ref.namespace, cluster.name), ...externalOwnerLabel(this.c, ref) },
        finalizers: [INVENTORY_FINALIZER],
      },
      spec: {
        moduleRef: {
          kind: ref.kind,
          name: ref.name,
          uid: record.uid,
          ...(ref.owner === undefined ? {} : { owner: ref.owner }),
        },
        clusterRef: { kind: cluster.kind, name: cluster.name },
        clusterUid: session.uid ?? '',
      },
    }
    const made = await this.c.hub.own.create(inventoryKind, body, {
      purpose: 'inventory',
      manager: MANAGER,
    })
    if (!made.ok) return failed(made.error)
    this.c.hub.inventories.observeWrite(made.value)
    return requeueAfter(1)
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
    const rehashed = await this.rehash.reconcile(scope)
    if (rehashed) return rehashed
    const wants = record && (await this.consider(scope, record))
    if (wants?.type === 'again') return wants.outcome
    const closed = wants?.type === 'blocked' ? wants : undefined
    const done = await this.deliver(scope, closed?.gate.blockers)
    return done.ok && closed?.transient ? { ok: false } : done
  }

  private deliver(scope: UnitScope, blockers: readonly NewBlocker[] | undefined): Promise<ReconcileResult> {
    if (scope.inventory.spec.admitted) return new UnitDelivery(this.c, scope, this.stopping).run(blockers)
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
    if (isOlder) return { type: 'same' }
    await confirmLiveness(this.c, ref, wanting.published, cluster.name)
    const seen = observationOf(this.c, ref.namespace)
    if (isAdmittedAsAsked(scope.inventory.spec.admitted, record, wanting, seen)) return { type: 'same' }
    const early = gate(wanting, seen)
    // Nobody tells units of others what happens on other clusters.
    const transient = ref.owner !== undefined && moduleEdges(wanting.published.edges).some((e) => e.cluster)
    if (early.outcome === 'Closed') return { type: 'blocked', gate: early, transient }
    return consideredAs(await admit(this.c, scope, record, wanting))
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
  | { readonly type: 'blocked'; readonly gate: Closed; readonly transient?: boolean | undefined }
  | { readonly type: 'again'; readonly outcome: ReconcileResult }
