/** A unit leaves its cluster: cause first, then its objects in reverse order, then its Inventory. */
import type { InventoryObject } from '../api/kinds/inventory.ts'
import { recordedSpec } from '../deliver/admission.ts'
import { entriesOf } from '../deliver/evaluate.ts'
import { intentWaitMs, servedIntents } from '../deliver/intents.ts'
import { type PruneView, pruneBlockers, pruneNext, pruneRetryMs } from '../deliver/prune.ts'
import { soonest } from '../deliver/wake.ts'
import type { Outcome } from '../kube/queue.ts'
import { identityOf } from '../object/object.ts'
import type { SourceFailure } from '../source/failure.ts'
import type { Context } from './context.ts'
import { definedKinds } from './definitions.ts'
import { type Noted, noteDeparture } from './departure.ts'
import { dropInventory } from './dropinventory.ts'
import { failedWrite, NEWS_MS } from './failedwrite.ts'
import { orphanHook } from './hooks.ts'
import { foundOf, type Grounds, pruneViewOf, removeObjects } from './prune.ts'
import { orphanObject } from './release.ts'
import { afterDeletion, beforeDeletion, isNeededLater, leavingInput, withObjects } from './removalhooks.ts'
import { removeStamp, stamp } from './stamp.ts'
import { revisionOfUnit, type UnitScope, writeInventory } from './unitscope.ts'
import { sayHeld, writeUnitStatus } from './unitstatus.ts'

export async function removeUnit(c: Context, scope: UnitScope): Promise<Outcome> {
  const { removal, uid } = scope.record!
  const { cause, policy } = removal!
  const causes = scope.inventory.spec.causes ?? []
  if (!causes.some((x) => x.cause === cause)) {
    const done = await writeInventory(c, scope.inventory, {
      ...scope.inventory.spec,
      causes: [...causes, { cause, uid }],
    })
    return done.ok ? { ok: true, afterMs: 1 } : failedWrite(c, done.error)
  }
  const entries = [...entriesOf({ ...scope, announced: foundOf(scope) }).values()]
  if (policy === 'Delete') return deleteAll(c, scope, entries)
  if (entries.length === 0) return inFlight(c, scope) ?? orphanHooks(c, scope)
  const view = pruneViewOf(c, scope, entries, await groundsOf(c, scope, entries))
  const stamped = await stamp(c, scope, undefined)
  if (stamped.type === 'again') return stamped.outcome
  if (stamped.type === 'held') return sayHeld(c, scope, stamped.blocker)
  return orphan(c, scope, view)
}

/** What the deletion waits for outside the cluster of the unit. */
async function sayWaiting(c: Context, scope: UnitScope, { reason, message, transient }: SourceFailure) {
  const subject = `${scope.ref.kind}/${scope.ref.name}`
  const hint = `${message}. Its hooks of the deletion are in it; to go without them, set spec.apply.deletionPolicy to Orphan`
  const blockers = [{ reason, subject, message: hint }]
  const said = await writeUnitStatus(c, scope, { state: 'Removing', health: undefined, blockers })
  return said.ok && transient ? { ok: false as const } : said
}

/** Hooks before it, the objects in reverse order, hooks after it; each look does the next thing. */
async function deleteAll(
  c: Context,
  scope: UnitScope,
  entries: readonly InventoryObject[],
): Promise<Outcome> {
  const input = await leavingInput(c, scope)
  if (!input.ok) return sayWaiting(c, scope, input.error)
  const hasHooks = (scope.inventory.spec.hooks ?? []).length > 0 || input.value.desired.preDelete.length > 0
  if (entries.length > 0 || hasHooks) {
    const stamped = await stamp(c, scope, undefined)
    if (stamped.type === 'again') return stamped.outcome
    if (stamped.type === 'held') return sayHeld(c, scope, stamped.blocker)
  }
  const early = await beforeDeletion(c, scope, input.value)
  if (early) return early
  const isLate = isNeededLater(input.value)
  const now = entries.filter((o) => !isLate(o))
  if (now.length > 0) return deleteObjects(c, scope, entries, isLate)
  const inTheWay = (await withObjects(c, scope, input.value)) ?? inFlight(c, scope)
  if (inTheWay) return inTheWay
  const after = await afterDeletion(c, scope, input.value)
  if (after) return after
  return entries.length > 0 ? deleteObjects(c, scope, entries, () => false) : finish(c, scope)
}

/** All of a unit is looked at, since what is kept keeps what it is in. `isLate`: not deleted yet. */
async function deleteObjects(
  c: Context,
  scope: UnitScope,
  entries: readonly InventoryObject[],
  isLate: (o: InventoryObject) => boolean,
): Promise<Outcome> {
  const view = pruneViewOf(c, scope, entries, await groundsOf(c, scope, entries))
  const all = pruneNext(view)
  const early = { ...view, entries: view.entries.filter((p) => !isLate(p.entry)) }
  const next = { ...all, remove: pruneNext(early).remove }
  if (next.remove.length + next.release.length + next.keep.length > 0) {
    const done = await removeObjects(c, scope, next)
    return done ?? { ok: true, afterMs: 1 }
  }
  return sayLeft(c, scope, view)
}

/** Why objects are still there. */
async function sayLeft(c: Context, scope: UnitScope, view: PruneView): Promise<Outcome> {
  const blockers = pruneBlockers(view)
  const said = await writeUnitStatus(c, scope, { state: 'Removing', health: undefined, blockers })
  const afterMs = soonest([said.afterMs, pruneRetryMs(view)])
  return said.ok && afterMs !== undefined ? { ok: true, afterMs } : said
}

async function groundsOf(
  c: Context,
  { session, inventory, ref }: UnitScope,
  entries: readonly InventoryObject[],
): Promise<Grounds> {
  const revision = inventory.spec.admitted?.revision
  const settings = revision === undefined ? undefined : revisionOfUnit(c, ref, revision)?.spec.apply
  return { leave: 'Delete', isDefined: await definedKinds(session, entries), dialects: settings?.dialects }
}

async function orphanHooks(c: Context, scope: UnitScope): Promise<Outcome> {
  const done = await Promise.all((scope.inventory.spec.hooks ?? []).map((r) => orphanHook(scope, r)))
  return done.includes(false) ? { ok: false } : finish(c, scope)
}

/** Whoever worked here before may have a create under way: what it makes has to be found, and removed. */
function inFlight(c: Context, { inventory, memory }: UnitScope): Outcome | undefined {
  const steady = c.env.clock.steady()
  const intents = inventory.spec.intents ?? []
  const served = servedIntents(intents, new Map(), memory, steady)
  const afterMs = intentWaitMs(
    intents.filter((i) => !served.includes(i)),
    memory,
    steady,
  )
  return afterMs === undefined ? undefined : { ok: true, afterMs }
}

/** The objects stay, without our marks: only then is nobody left who answers for them. */
async function orphan(c: Context, scope: UnitScope, view: PruneView): Promise<Outcome> {
  // What cannot be seen yet may still carry them; its cache brings us back.
  if (view.entries.some((p) => p.live === 'unknown' || p.live === 'unserved')) return sayLeft(c, scope, view)
  const open = view.entries.filter((p) => p.refused === undefined)
  const noted: Noted = (entry, live, error) => noteDeparture(c, scope, entry, live, error)
  const done = await Promise.all(open.map((p) => orphanObject(scope, p, noted)))
  if (done.includes(false)) return { ok: true, afterMs: NEWS_MS }
  if (open.length < view.entries.length) return sayLeft(c, scope, view)
  for (const p of view.entries) scope.memory.gone.add(identityOf(p.entry))
  return orphanHooks(c, scope)
}

/**
 * Nothing is left: the stamp goes, then the Inventory lets go of its finalizer and goes. Its causes go with it, not before:
 * without them a unit that is selected again by now would look as if nothing of it had been deleted yet.
 */
async function finish(c: Context, scope: UnitScope): Promise<Outcome> {
  const { inventory } = scope
  if (!(await removeStamp(scope))) return { ok: false }
  scope.session.lookNoMore(scope.label)
  const spec = recordedSpec(inventory.spec, [], true, inventory.spec.intents ?? [])
  return dropInventory(c, { ...inventory, spec })
}
