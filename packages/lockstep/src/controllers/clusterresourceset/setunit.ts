/** A ClusterResourceSet with strategy ApplyOnce or Reconcile on one cluster: writes what is still to be written there. */

import {
  identityOf,
  type ObjectReference,
  parseTimestampMs,
  refOf,
  type Stored,
  timestamp,
} from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { accountOfSet } from '../../api/account.ts'
import type { NewBlocker } from '../../api/blocker.ts'
import {
  type ClusterResourceSet,
  type Inventory,
  inventoryKind,
  type ResourceSetSourceRef,
  type SetRecord,
} from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { objectRef } from '../../decisions/graph/index.ts'
import { retryAtMs, setMessage } from '../../decisions/resourceset/index.ts'
import {
  isOlderUnknown,
  recordAfter,
  recordBegun,
  type SetObject,
  type SourceContent,
  type SourceOutcome,
  type SourceWork,
  sourceText,
  sourceWorkOf,
} from '../../deliver/modes/index.ts'
import { unitName } from '../../deliver/plan/index.ts'
import type { LookupQuery } from '../../deliver/state/index.ts'
import { newInventory } from '../../deliver/step/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'
import {
  companionRef,
  isOtherCluster,
  type ManagedSetPlan,
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
import { setWordsOf, unmarkOrphaned, writeInventory } from '../unit/index.ts'
import { Aside } from './aside.ts'
import { type AwaitedObject, awaitAll, awaitNothing, hasCome } from './awaited.ts'
import { companionInventoryOn, recordDeliveredSources } from './deliveredsources.ts'
import type { SetDeps } from './setdeps.ts'
import { setUnitNotes } from './unitnotes.ts'
import { FINAL, remainingFields, sayUnit } from './unitstatus.ts'
import { readUpstreamRecord, unappliedSource } from './upstreamrecord.ts'
import { type SetRouteDeps, setUnitWatches, unitOfSet } from './watches.ts'
import { isOfAnotherUnit } from './whose.ts'
import { writeSetObject } from './writeobject.ts'

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

/** What is applied is written down after so long at the latest. */
const RECORD_AFTER_MS = 2000

interface SetUnitScope {
  readonly set: Stored<ClusterResourceSet>
  readonly plan: ManagedSetPlan
  readonly cluster: ClusterView
  readonly session: ClusterSession
}

/** What was refused on a cluster, since what is asked for has changed last. */
interface Tries {
  readonly changedAt: number
  /** How often, one after the other. */
  count: number
  /** `clock.steady()` before which nothing is tried again. */
  nextAt: number
  /** Objects that no time helps: by `identityOf`. */
  readonly final: Map<string, NewBlocker>
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
    const pass = new Pass(
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

/** One look at one cluster: all that is to be written, one object after the other, as Cluster API does. */
class Pass {
  readonly failures: NewBlocker[] = []
  inventory: Stored<Inventory>
  isStopped = false
  /** Of these all is applied now. */
  readonly applied: ResourceSetSourceRef[] = []
  /** Something was refused that may be taken another time. */
  isRetried = false
  /** What the cluster lacks for that, each once. */
  readonly lacking = new Map<string, LookupQuery>()
  /** Objects on which fields may be that only a content has had that nobody knows. */
  private readonly remaining: ObjectReference[] = []
  private readonly c: SetDeps
  private readonly scope: SetUnitScope
  private readonly final: Tries['final']
  /** Undefined: another process has begun it. */
  private readonly unsure: Set<string> | undefined
  private readonly mayWrite: () => boolean
  private recordedAt: number

  constructor(
    c: SetDeps,
    scope: SetUnitScope,
    inventory: Stored<Inventory>,
    { final, unsure }: { readonly final: Tries['final']; readonly unsure: Set<string> | undefined },
    mayWrite: () => boolean,
  ) {
    this.final = final
    this.unsure = unsure
    this.c = c
    this.scope = scope
    this.inventory = inventory
    this.mayWrite = mayWrite
    this.recordedAt = c.env.clock.steady()
  }

  async run(work: readonly SourceWork[]): Promise<ReconcileResult> {
    for (const source of work) {
      let outcome: SourceOutcome = { work: source, written: [], failed: source.objects.length }
      for (const o of source.objects) {
        if (!this.mayWrite()) {
          this.isStopped = true
          break
        }
        if (await this.write(source, o)) outcome = written(outcome, o)
        if (this.c.env.clock.steady() - this.recordedAt < RECORD_AFTER_MS) continue
        const saved = await this.record(outcome)
        if (!saved.ok) return saved
      }
      const saved = await this.record(outcome)
      if (!saved.ok || this.isStopped) return saved
      if (outcome.failed === 0) this.applied.push(source.content.ref)
    }
    return { ok: true }
  }

  private async write(
    { content, write, isKnown, isBegun }: SourceWork,
    { object, origin }: SetObject,
  ): Promise<boolean> {
    const { plan, session, set, cluster } = this.scope
    const id = identityOf(refOf(object))
    const known = this.final.get(id)
    if (known) {
      this.failures.push(known)
      return false
    }
    const isMarked = plan.asked.mode === 'Reconcile'
    const target = {
      session,
      cluster: cluster.name,
      write,
      isKnown,
      begunMs: isBegun ? this.begunMs(id) : undefined,
      isMergePatch: isMarked && plan.asked.write === 'MergePatch',
      isReplaced: isMarked && plan.asked.replaceImmutable,
      fromSecret: content.ref.kind === 'Secret',
      marks: isMarked
        ? { unit: unitName(setRef(set)), inventoryUid: this.inventory.metadata.uid }
        : undefined,
      isOfAnother: (unit: string) => isOfAnotherUnit(this.c.hub, set, unit, this.scope.cluster),
      mayWrite: this.mayWrite,
    }
    const done = await writeSetObject(target, object)
    if (done.ok) {
      const isUnknown = done.value.remains && isOlderUnknown(this.inventory.spec.set, content)
      if (isUnknown) this.remaining.push(refOf(object))
      return true
    }
    const { reason, lacks, isUnsure } = done.error
    if (lacks) this.lacking.set(Object.values(lacks).join(' '), lacks)
    const failure = this.failureOf(done.error, origin, content)
    this.failures.push(failure)
    if (FINAL.has(reason)) this.final.set(id, failure)
    else this.isRetried = true
    if (isUnsure) this.unsure?.add(id)
    return false
  }

  /** Refers to the object on the cluster, and to its source on the hub. */
  private failureOf(
    { reason, on, facts, message }: NewBlocker,
    origin: string,
    { ref: { kind, name } }: SourceContent,
  ): NewBlocker {
    const { set } = this.scope
    const { namespace = '' } = set.metadata
    const source = objectRef({ apiVersion: 'v1', kind, namespace, name }, undefined)
    const failure = { reason, on: [...on, source], facts: { ...facts, origin }, message }
    return { ...failure, message: setMessage(failure, setWordsOf(this.c, set)) }
  }

  /** Since when an object may have been created without a word; undefined: this process would know. */
  private begunMs(id: string): number | undefined {
    if (this.unsure && !this.unsure.has(id)) return undefined
    return parseTimestampMs(this.inventory.metadata.creationTimestamp ?? '')
  }

  private async record(outcome: SourceOutcome): Promise<ReconcileResult> {
    const { plan } = this.scope
    const now = timestamp(this.c.env.clock.now())
    const before: SetRecord | undefined = this.inventory.spec.set
    const isNews = this.remaining.length > 0 && before?.fieldsMayRemain !== true
    const after = recordAfter(plan.asked, before, [outcome], now)
    const set: SetRecord = isNews ? { ...after, fieldsMayRemain: true } : after
    const done = await writeInventory(this.c, this.inventory, { ...this.inventory.spec, set })
    if (!done.ok) return failed(done.error)
    this.inventory = done.value
    if (isNews) this.warn(outcome.work.content)
    this.recordedAt = this.c.env.clock.steady()
    return { ok: true }
  }

  /** Once for a set and a cluster: the first content of ours comes after one of Cluster API's that nobody knows. */
  private warn({ ref }: SourceContent): void {
    const { set, cluster } = this.scope
    const { message: text } = remainingFields(cluster, sourceText(ref), this.remaining)
    const note = {
      type: 'Warning',
      reason: 'FieldsMayRemain',
      action: 'Apply',
      text,
      of: cluster.name,
    } as const
    this.c.events.record(set, [note])
  }
}

const written = (o: SourceOutcome, object: SetObject): SourceOutcome => ({
  ...o,
  written: [...o.written, object],
  failed: o.failed - 1,
})
