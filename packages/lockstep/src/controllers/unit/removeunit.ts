/** A unit leaves its cluster: cause first, then its objects in reverse order, then its Inventory. */

import { isTransient } from '@lockstep/kube/client'
import { defineKind, identityOf, type KubeObject } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked } from '../../api/blocker.ts'
import type { InventoryObject, InventorySpec, WriteIntent } from '../../api/kinds/index.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import { unitRef } from '../../decisions/graph/index.ts'
import {
  isNothingToPrune,
  type PruneView,
  pruneBlockers,
  pruneNext,
  pruneRetryMs,
} from '../../deliver/deletion/index.ts'
import { entriesOf } from '../../deliver/state/index.ts'
import { intentWaitMs, recordedSpec, servedIntents, soonestRequeue } from '../../deliver/step/index.ts'
import type { SourceFailure } from '../../sources/intake/index.ts'
import { dropInventory } from '../gc/index.ts'
import { conflict, done, failed, requeueAfter } from '../runtime/index.ts'
import { failureBlocker } from './boundbundle.ts'
import { definedKinds } from './definedkinds.ts'
import { type RecordDeleteFailure, recordDeleteOutcome } from './deleteoutcome.ts'
import { handOver } from './handover/handover.ts'
import { reviewReceivers } from './handover/reviewreceivers.ts'
import { takeLeavingMarks } from './handover/takemarks.ts'
import { UnitClaims } from './handover/unitclaims.ts'
import {
  deleteHookObjects,
  deleteHooksInput,
  isNeededByPostDelete,
  runPostDeleteHooks,
  runPreDeleteHooks,
} from './hooks/deletehooks.ts'
import { orphanHook } from './hooks/starthooks.ts'
import { orphanObject, unmarkHidden } from './orphanobjects.ts'
import {
  isKindSynced,
  isUnseen,
  leavingEntries,
  type PruneGrounds,
  pruneNodes,
  pruneViewOf,
  unrecordedObjects,
  unseenObjects,
} from './prunenode.ts'
import { removeStamp } from './stamp.ts'
import { revisionOfUnit, type UnitDeps, type UnitScope, writeInventory } from './unitscope.ts'
import { stampFirst, writeUnitStatus } from './unitstatus.ts'

type Causes = NonNullable<InventorySpec['causes']>

export async function removeUnit(c: UnitDeps, scope: UnitScope): Promise<ReconcileResult> {
  // The event of the deletion is still to come.
  if (scope.memory.isRemoved) return { ok: true }
  const { removal, uid } = scope.record!
  const { cause, policy, ...seen } = removal!
  const causes = scope.inventory.spec.causes ?? []
  if (!causes.some((x) => x.cause === cause))
    return writeCauses(c, scope, [...causes, { cause, uid, ...seen }])
  // Objects that were to be adopted by their marks are listed before they go.
  const marked = await takeLeavingMarks(c, scope)
  if (marked) return marked
  const known = entriesOf({ ...scope, announced: unrecordedObjects(scope) })
  const unseen = (await unseenObjects(scope)).filter((o) => !known.has(identityOf(o)))
  const entries = [...known.values(), ...unseen]
  scope.session.use(scope.label, entries)
  if (policy === 'Delete') return deleteAll(c, scope, entries)
  if (entries.length === 0) return inFlight(c, scope) ?? (await begin(c, scope)) ?? orphanHooks(c, scope)
  const early = (await stampFirst(c, scope, undefined)) ?? (await begin(c, scope))
  return early ?? orphan(c, scope, await viewOf(c, scope, entries))
}

async function writeCauses(c: UnitDeps, { inventory }: UnitScope, causes: Causes): Promise<ReconcileResult> {
  const done = await writeInventory(c, inventory, { ...inventory.spec, causes })
  return done.ok ? requeueAfter(1) : failed(done.error)
}

/**
 * From now on something may have been deleted, or let go of. Until then a cluster that is selected again keeps the unit as
 * it is, so that this is written down before, where the cause alone does not say so. Undefined: it is.
 */
async function begin(c: UnitDeps, scope: UnitScope): Promise<ReconcileResult | undefined> {
  const causes = scope.inventory.spec.causes ?? []
  if (!causes.some(isNotBegun)) return undefined
  return writeCauses(
    c,
    scope,
    causes.map((x) => (isNotBegun(x) ? { ...x, begun: true } : x)),
  )
}

const isNotBegun = (x: Causes[number]): boolean => x.cause === 'Relabelled' && !x.begun

/**
 * It stays after all: what was to be deleted is not, and others may build on it again. Hooks that ran before the deletion
 * have run for nothing: before another one they run again. Undefined: nothing says that it leaves.
 */
export async function cancelRemoval(
  c: UnitDeps,
  { inventory }: UnitScope,
): Promise<ReconcileResult | undefined> {
  const { causes = [], hooks, ...spec } = inventory.spec
  const others = causes.filter((x) => x.cause !== 'Relabelled')
  if (others.length === causes.length) return undefined
  const former = hooks?.map((h) => (h.phase === 'PreDelete' ? { ...h, serial: NO_SERIAL } : h))
  const done = await writeInventory(c, inventory, {
    ...spec,
    ...(former ? { hooks: former } : {}),
    ...(others.length > 0 ? { causes: others } : {}),
  })
  return done.ok ? requeueAfter(1) : failed(done.error)
}

/** Of a run that is of no content that there is: that of what is admitted begins at 1. */
const NO_SERIAL = 0

/** The bundle has the hooks of the deletion; the unit can be removed without them. */
async function sayWaiting(c: UnitDeps, scope: UnitScope, failure: SourceFailure) {
  const cause = failureBlocker(failure, scope.ref, scope.cluster.name)
  const unit = unitRef({ to: scope.ref, set: undefined }, scope.cluster.name)
  const hooks = blocked('DeletionBlocked', [unit], { because: 'Hooks', reason: failure.reason })
  const blockers = failure.transient ? [cause] : [cause, hooks]
  const said = await writeUnitStatus(c, scope, { state: 'Removing', health: undefined, blockers })
  return said.ok && failure.transient ? { ok: false as const } : said
}

/** Hooks before it, the objects in reverse order, hooks after it; each look does the next thing. */
async function deleteAll(
  c: UnitDeps,
  scope: UnitScope,
  entries: readonly InventoryObject[],
): Promise<ReconcileResult> {
  const input = await deleteHooksInput(c, scope)
  if (!input.ok) return sayWaiting(c, scope, input.error)
  const hasHooks = (scope.inventory.spec.hooks ?? []).length > 0 || input.value.desired.preDelete.length > 0
  const unstamped = entries.length > 0 || hasHooks ? await stampFirst(c, scope, undefined) : undefined
  if (unstamped) return unstamped
  const early = (await runPreDeleteHooks(c, scope, input.value)) ?? (await begin(c, scope))
  if (early) return early
  const isLate = isNeededByPostDelete(input.value)
  const now = entries.filter((o) => !isLate(o))
  if (now.length > 0) return deleteObjects(c, scope, entries, isLate)
  const inTheWay = (await deleteHookObjects(c, scope, input.value)) ?? inFlight(c, scope)
  if (inTheWay) return inTheWay
  const after = await runPostDeleteHooks(c, scope, input.value)
  if (after) return after
  return entries.length > 0 ? deleteObjects(c, scope, entries, () => false) : finish(c, scope)
}

/** All of a unit is looked at, since what is kept keeps what it is in. `isLate`: not deleted yet. */
async function deleteObjects(
  c: UnitDeps,
  scope: UnitScope,
  entries: readonly InventoryObject[],
  isLate: (o: InventoryObject) => boolean,
): Promise<ReconcileResult> {
  const view = await viewOf(c, scope, entries)
  if (!view) return requeueAfter(1)
  const all = pruneNext(view)
  const early = { ...view, entries: view.entries.filter((p) => !isLate(p.entry)) }
  const next = { ...all, remove: pruneNext(early).remove }
  if (!isNothingToPrune(next)) {
    const done = await pruneNodes(c, scope, next)
    return done ?? requeueAfter(1)
  }
  return sayLeft(c, scope, view)
}

/** Why objects are still there. */
async function sayLeft(c: UnitDeps, scope: UnitScope, view: PruneView): Promise<ReconcileResult> {
  const blockers = pruneBlockers(view)
  const said = await writeUnitStatus(c, scope, { state: 'Removing', health: undefined, blockers })
  const afterMs = soonestRequeue([said.requeueAfterMs, pruneRetryMs(view)])
  return said.ok && afterMs !== undefined ? requeueAfter(afterMs) : said
}

/** Undefined: what could not be seen when the look began can be now, and is to be found with its uid first. */
async function viewOf(
  c: UnitDeps,
  scope: UnitScope,
  entries: readonly InventoryObject[],
): Promise<PruneView | undefined> {
  const claims = new UnitClaims(c, scope, true)
  const grounds = await groundsOf(c, scope, entries, claims)
  const leaving = leavingEntries(scope, entries, grounds.isDefined)
  await claims.open(leaving, [])
  await reviewReceivers(c, scope, claims, leaving)
  return entries.some((o) => isUnseen(o) && isKindSynced(scope, o))
    ? undefined
    : pruneViewOf(c, scope, entries, grounds)
}

async function groundsOf(
  c: UnitDeps,
  { session, inventory, ref }: UnitScope,
  entries: readonly InventoryObject[],
  claims: UnitClaims,
): Promise<PruneGrounds> {
  const revision = inventory.spec.admitted?.revision
  const settings = revision === undefined ? undefined : revisionOfUnit(c, ref, revision)?.spec.apply
  const isDefined = await definedKinds(session, entries)
  const { dialects, namespaces } = settings ?? {}
  return { leave: 'Delete', isDefined, dialects, namespaces, claims }
}

async function orphanHooks(c: UnitDeps, scope: UnitScope): Promise<ReconcileResult> {
  const done = await Promise.all((scope.inventory.spec.hooks ?? []).map((r) => orphanHook(scope, r)))
  return done.includes(false) ? { ok: false } : finish(c, scope)
}

/** Whoever worked here before may have a create under way: what it makes has to be found, and removed. */
function inFlight(c: UnitDeps, scope: UnitScope): ReconcileResult | undefined {
  const { inventory, memory } = scope
  const steady = c.env.clock.steady()
  const intents = inventory.spec.intents ?? []
  const sees = (i: Pick<WriteIntent, 'group' | 'kind'>) => isKindSynced(scope, i)
  const served = servedIntents(intents, new Map(), memory, steady, sees)
  const afterMs = intentWaitMs(
    intents.filter((i) => !served.includes(i)),
    memory,
    steady,
    sees,
  )
  return afterMs === undefined ? undefined : requeueAfter(afterMs)
}

/** The objects stay, without our marks: only then is nobody left who answers for them. */
async function orphan(c: UnitDeps, scope: UnitScope, view: PruneView | undefined): Promise<ReconcileResult> {
  if (!view) return requeueAfter(1)
  // What cannot be seen yet may still carry them; its cache brings us back.
  if (view.entries.some((p) => p.live === 'unknown' || p.live === 'unserved')) return sayLeft(c, scope, view)
  const open = view.entries.filter((p) => p.refused === undefined)
  const noted: RecordDeleteFailure = (entry, live, error) => recordDeleteOutcome(c, scope, entry, live, error)
  const given = pruneNext(view).handOver
  if (given.length > 0) return (await handOver(c, scope, given, noted)) ?? requeueAfter(1)
  const done = await Promise.all(open.map((p) => orphanObject(scope, p, noted)))
  if (done.includes(false)) return conflict
  const hidden = view.entries.filter((p) => p.live === 'gone').map((p) => p.entry)
  const failed = await unmarkHidden(scope, hidden)
  if (failed) return failed
  if (open.length < view.entries.length) return sayLeft(c, scope, view)
  for (const { entry, live } of view.entries)
    scope.memory.gone.set(identityOf(entry), typeof live === 'object' ? live.uid : entry.uid)
  // A create may be under way still.
  return requeueAfter(1)
}

/**
 * What creates that had no answer have come to is asked for by name, once, before nobody looks for it any more: a watch that
 * has broken off without a word says nothing for a minute. Undefined: nothing.
 */
async function lateCreates({ session, inventory, memory }: UnitScope): Promise<ReconcileResult | undefined> {
  let late: ReconcileResult | undefined
  for (const intent of inventory.spec.intents ?? []) {
    const resource = session.served(intent.group, intent.kind)
    if (!resource) continue
    const found = await session.client.get<KubeObject>(defineKind(resource), intent, { purpose: 'prune' })
    if (!found.ok && isTransient(found.error)) return { ok: false }
    if (!found.ok) continue
    const { labels, annotations, uid } = found.value.metadata
    // Without the label it is nothing that the cache would hear of again.
    const isOurs =
      labels?.[UNIT_LABEL] !== undefined && annotations?.[INVENTORY_ANNOTATION] === inventory.metadata.uid
    if (!isOurs || memory.gone.get(identityOf(intent)) === uid) continue
    session.wrote(resource, found.value)
    late = requeueAfter(1)
  }
  return late
}

/**
 * Nothing is left: the stamp goes, then the Inventory lets go of its finalizer and goes. Its causes go with it, not before:
 * without them a unit that is selected again by now would look as if nothing of it had been deleted yet.
 */
async function finish(c: UnitDeps, scope: UnitScope): Promise<ReconcileResult> {
  const { inventory } = scope
  const late = await lateCreates(scope)
  if (late) return late
  if (!(await removeStamp(scope))) return { ok: false }
  scope.session.lookNoMore(scope.label)
  const spec = recordedSpec(inventory.spec, [], true, inventory.spec.intents ?? [])
  const dropped = await dropInventory(c, { ...inventory, spec })
  // After a lost version the next look decides.
  scope.memory.isRemoved = dropped === done
  return dropped
}
