/** A ClusterResourceSet with strategy ApplyOnce or Reconcile on one cluster: writes what is still to be written there. */

import { type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { accountOfSet } from '../../api/account.ts'
import { type Inventory, inventoryKind, type SetRecord } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { retryAtMs } from '../../decisions/resourceset/index.ts'
import { recordBegun, sourceWorkOf } from '../../deliver/modes/index.ts'
import { newInventory } from '../../deliver/step/index.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'
import {
  companionRef,
  isOtherCluster,
  SET_KIND,
  type SetPlans,
  setInventoryOn,
  setRef,
} from '../cache/index.ts'
import { dropInventory } from '../gc/index.ts'
import {
  always,
  type Controller,
  defineController,
  failed,
  on,
  type Request,
  type RequestQueue,
  requestOf,
  requeueAfter,
  type UnitKey,
  unitKey,
  type WatchIndex,
} from '../runtime/index.ts'
import { unmarkOrphaned, writeInventory } from '../unit/index.ts'
import { Aside } from './aside.ts'
import { type AwaitedObject, awaitAll, awaitNothing, hasCome } from './awaited.ts'
import { companionInventoryOn, recordDeliveredSources } from './deliveredsources.ts'
import type { SetDeps } from './setdeps.ts'
import { type RefusedObjects, SetPass, type SetUnitScope } from './setpass.ts'
import { setUnitNotes } from './unitnotes.ts'
import { sayUnit } from './unitstatus.ts'
import { readUpstreamRecord, unappliedSource } from './upstreamrecord.ts'
import { type SetRouteDeps, setUnitWatches, unitOfSet } from './watches.ts'

const SET_UNIT_CONTROLLER = 'set-unit'

export const setUnitRequest = (unit: UnitKey): Request => requestOf(SET_UNIT_CONTROLLER, unit)

export interface SetUnitDeps {
  readonly sets: SetDeps
  readonly watchIndex: WatchIndex
  /** Work that went on without a worker ends. */
  readonly requests: RequestQueue
  readonly concerns: SetRouteDeps['concerns']
}

/** `wake`: a unit of a Module may have something to do. */
export function setUnitController(d: SetUnitDeps, wake: (unit: UnitKey) => void): Controller<UnitKey> {
  const { hub, fleet } = d.sets
  const reconciler = new SetUnitReconciler(d, wake)
  return defineController({
    name: SET_UNIT_CONTROLLER,
    key: unitKey,
    for: on('inventories', always, (i) => unitOfSet(hub, i)),
    watches: setUnitWatches({ hub, fleet, concerns: d.concerns }),
    reconcile: (key) => reconciler.reconcile(key),
  })
}

/** What was refused on a cluster, since what is asked for has changed last. */
interface Tries {
  readonly changedAt: number
  /** How often, one after the other. */
  count: number
  /** `clock.steady()` before which nothing is tried again. */
  nextAt: number
  readonly final: RefusedObjects
  /** The connection on which it was refused. */
  session: ClusterSession
  /** Once something of this is there, it is tried again at once. */
  awaited: readonly AwaitedObject[]
}

class SetUnitReconciler {
  private readonly c: SetDeps
  private readonly watchIndex: WatchIndex
  private readonly plans: SetPlans
  /** A unit of a Module may have something to do. */
  private readonly wake: (unit: UnitKey) => void
  private readonly tries = new Map<string, Tries>()
  private readonly aside: Aside
  /** Of what this process has begun to create, by unit: the objects of which no answer came. */
  private readonly begun = new Map<string, Set<string>>()

  constructor({ sets, watchIndex, requests }: SetUnitDeps, wake: (unit: UnitKey) => void) {
    this.c = sets
    this.watchIndex = watchIndex
    this.aside = new Aside(sets.env, (item) => requests.add(item))
    this.plans = sets.plans
    this.wake = wake
  }

  async reconcile(key: UnitKey): Promise<ReconcileResult> {
    const { namespace, name } = key.ref
    const clusterName = key.cluster
    const item = setUnitRequest(key)
    const { hub, fleet } = this.c
    const underWay = this.aside.underWay(item)
    if (underWay) return underWay
    const set = hub.sets.get({ namespace, name })
    const plan = set && this.plans.of(set)
    const cluster = fleet.view(namespace, clusterName)
    if (!set || !plan?.turns.has(clusterName) || !cluster || !this.plans.mayWrite(set, cluster)) {
      this.forget(item)
      return { ok: true }
    }
    const session = fleet.session(cluster, accountOfSet(set))
    if (session?.state !== 'Connected') {
      // What it could not be asked it is asked as soon as it answers.
      const tries = this.tries.get(item.id)
      if (tries && tries.nextAt !== NEVER) tries.nextAt = 0
      return { ok: true }
    }
    const scope = { set, plan, cluster, session }
    const inventory = setInventoryOn(hub, set, clusterName)
    if (!inventory) return this.createInventory(scope)
    if (inventory.metadata.deletionTimestamp !== undefined) return { ok: true }
    if (isOtherCluster(inventory, session.uid)) return this.beginAnew(scope, inventory)
    const taken = await readUpstreamRecord(this.c, scope, inventory)
    if (taken) return taken
    if (plan.isContinuous) {
      this.forget(item)
      const followed = await recordDeliveredSources(this.c, set, inventory)
      // From now on its Module may write there.
      this.wake(unitKey.of(companionRef(set), clusterName))
      return followed ?? { ok: true }
    }
    // What its Module has delivered there is let go of first, or was given up: the end of that brings us back.
    const delivered = companionInventoryOn(this.c, set, clusterName)
    if (delivered?.spec.released)
      return (await unmarkOrphaned({ session, inventory: delivered })) ?? dropInventory(this.c, delivered)
    if (delivered) return { ok: true }
    const { uid } = set.metadata
    return this.aside.run(item, uid, () => this.plans.during(uid, () => this.work(item, scope, inventory)))
  }

  /** Before the first object: what was applied is always written down somewhere. */
  private async createInventory({ set, cluster, session }: SetUnitScope): Promise<ReconcileResult> {
    const { name, uid } = set.metadata
    const spec = { clusterUid: session.uid ?? '', set: {} }
    const inventory = newInventory({ ref: setRef(set), uid, cluster, spec })
    const ownerReferences = [{ apiVersion: set.apiVersion, kind: SET_KIND, name, uid }]
    const body = { ...inventory, metadata: { ...inventory.metadata, ownerReferences } }
    const made = await this.c.hub.own.create(inventoryKind, body, {
      purpose: 'inventory',
      manager: MANAGER,
    })
    if (!made.ok) return failed(made.error)
    this.c.hub.inventories.observeWrite(made.value)
    return requeueAfter(1)
  }

  /** Another cluster answers under this name: nothing of what was applied is there, whatever its binding says. */
  private async beginAnew({ session }: SetUnitScope, inventory: Stored<Inventory>): Promise<ReconcileResult> {
    const { moduleRef, clusterRef, set } = inventory.spec
    const takenOver = timestamp(this.c.env.clock.now())
    const sources = set?.sources?.map(unappliedSource)
    const spec = {
      moduleRef,
      clusterRef,
      clusterUid: session.uid ?? '',
      set: { ...(sources ? { sources } : {}), takenOver },
    }
    const done = await writeInventory(this.c, inventory, spec)
    return done.ok ? requeueAfter(1) : failed(done.error)
  }

  private async work(
    item: Request,
    scope: SetUnitScope,
    inventory: Stored<Inventory>,
  ): Promise<ReconcileResult> {
    const { plan, set, cluster, session } = scope
    const now = this.c.env.clock.steady()
    const key = item.id
    const tries = this.triesOf(key, scope, now)
    if (tries.nextAt === NEVER) return { ok: true }
    if (tries.nextAt > now && !this.isHelped(tries, item, scope)) return requeueAfter(tries.nextAt - now)
    const work = sourceWorkOf(plan.asked, plan.contents, inventory.spec.set)
    const mayWrite = () => this.plans.mayWrite(set, cluster) && !this.plans.of(set)?.isContinuous
    const begun = recordBegun(plan.asked, inventory.spec.set, work)
    if (begun !== inventory.spec.set) {
      if (plan.asked.mode === 'ApplyOnce') this.begun.set(key, new Set())
      return this.begin(inventory, begun!)
    }
    const pass = new SetPass(
      this.c,
      scope,
      inventory,
      { final: tries.final, unsure: this.begun.get(key) },
      mayWrite,
    )
    const done = await pass.run(work)
    if (!done.ok) return done
    const before = inventory.status
    const said = await sayUnit(this.c, pass.inventory, pass.failures)
    if (said.error) return said
    const at = timestamp(this.c.env.clock.now())
    const { failures, applied } = pass
    this.c.events.record(set, setUnitNotes({ cluster: cluster.name, before, failures, applied, at }))
    if (pass.failures.length === 0 || pass.isStopped) {
      this.forget(item)
      return { ok: true }
    }
    this.tries.set(key, tries)
    tries.session = session
    tries.awaited = awaitAll(this.watchIndex, lookerOf(item, scope), [...pass.lacking.values()])
    if (!pass.isRetried) {
      tries.nextAt = NEVER
      return { ok: true }
    }
    tries.count++
    const failing = { failures: tries.count, failedMs: now, changedMs: plan.changedAt }
    tries.nextAt = retryAtMs(failing, plan.intervalMs)
    return requeueAfter(tries.nextAt - now)
  }

  private async begin(inventory: Stored<Inventory>, set: SetRecord): Promise<ReconcileResult> {
    const done = await writeInventory(this.c, inventory, { ...inventory.spec, set })
    return done.ok ? requeueAfter(1) : failed(done.error)
  }

  /** Those of another content are over. */
  private triesOf(key: string, { plan: { changedAt }, session }: SetUnitScope, now: number): Tries {
    const known = this.tries.get(key)
    if (known?.changedAt === changedAt) return known
    return { changedAt, count: 0, nextAt: now, final: new Map(), session, awaited: [] }
  }

  private isHelped({ session, awaited }: Tries, item: Request, scope: SetUnitScope): boolean {
    return session !== scope.session || hasCome(this.watchIndex, lookerOf(item, scope), awaited)
  }

  private forget(item: Request): void {
    this.begun.delete(item.id)
    if (this.tries.delete(item.id)) awaitNothing(this.watchIndex, item)
  }
}

const NEVER = Number.POSITIVE_INFINITY

const lookerOf = (request: Request, { cluster, session }: SetUnitScope) => ({ request, cluster, session })
