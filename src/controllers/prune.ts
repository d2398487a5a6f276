/** Deletes on a cluster: what a prune or a removal sees, and the requests. */
import { defineKind } from '../api/kind.ts'
import type { InventoryObject } from '../api/kinds/inventory.ts'
import { INVENTORY_ANNOTATION, MANAGER, NONCE_ANNOTATION, UNIT_LABEL } from '../api/labels.ts'
import { announcedObjects } from '../deliver/intents.ts'
import type { PruneEntry, PruneView } from '../deliver/prune.ts'
import type { LiveObject } from '../fleet/live.ts'
import { servedAs } from '../fleet/served.ts'
import type { Outcome } from '../kube/queue.ts'
import { identityOf } from '../object/object.ts'
import type { Context } from './context.ts'
import type { IsDefined } from './definitions.ts'
import { failedWrite } from './failedwrite.ts'
import type { UnitScope } from './unitscope.ts'

export function pruneViewOf(
  c: Context,
  scope: UnitScope,
  entries: readonly InventoryObject[],
  isDefined: IsDefined,
): PruneView {
  return {
    inventoryUid: scope.inventory.metadata.uid,
    entries: entries.map((entry) => entryView(c, scope, entry, isDefined)),
  }
}

function entryView(c: Context, scope: UnitScope, entry: InventoryObject, isDefined: IsDefined): PruneEntry {
  const live = liveOfEntry(scope, entry, isDefined)
  const id = identityOf(entry)
  const isTerminating = typeof live === 'object' && live.deleting
  const now = c.env.clock.steady()
  if (!isTerminating) scope.memory.degradedSince.delete(`gone ${id}`)
  else if (!scope.memory.degradedSince.has(`gone ${id}`)) scope.memory.degradedSince.set(`gone ${id}`, now)
  return {
    entry,
    live,
    asked: isAsked(scope, id, live, now),
    usedBy: entry.group === '' && entry.kind === 'Namespace' ? userOf(c, scope, entry.name) : undefined,
    terminatingMs: isTerminating ? now - scope.memory.degradedSince.get(`gone ${id}`)! : 0,
  }
}

/** An event that has not come for so long does not come any more: the object is deleted again. */
const EVENT_MS = 30_000

function isAsked({ memory }: UnitScope, id: string, live: PruneEntry['live'], now: number): boolean {
  const done = memory.deleted.get(id)
  if (!done || typeof live !== 'object') return false
  if (live.uid === done.uid && now - done.at < EVENT_MS) return true
  memory.deleted.delete(id)
  return false
}

function liveOfEntry(scope: UnitScope, entry: InventoryObject, isDefined: IsDefined): PruneEntry['live'] {
  const resource = servedAs(scope.session, entry)
  if (!resource) return isDefined(entry) ? 'unserved' : 'gone'
  const store = scope.session.objects(resource)
  const live: LiveObject | undefined = store.get(entry)
  return live ?? (store.freshness.state === 'Syncing' ? 'unknown' : 'gone')
}

/** Another unit of this cluster that has objects in a namespace. */
function userOf(c: Context, scope: UnitScope, namespace: string): string | undefined {
  for (const other of c.hub.inventories.store.by('cluster', `${scope.ref.namespace}/${scope.cluster.name}`)) {
    if (other.metadata.uid === scope.inventory.metadata.uid) continue
    const { objects, intents, hooks } = other.spec
    const holds = [...(objects ?? []), ...(intents ?? []), ...(hooks ?? [])].some(
      (o) => o.namespace === namespace,
    )
    if (holds) return `${other.spec.moduleRef.kind}/${other.spec.moduleRef.name}`
  }
  return undefined
}

/** Objects that exist for an intent and were never written down. */
export function foundOf(scope: UnitScope): InventoryObject[] {
  const { applied, gone } = scope.memory
  const known = new Map((scope.inventory.spec.objects ?? []).map((o) => [identityOf(o), o.uid]))
  for (const [id, o] of applied) known.set(id, o.uid)
  return announcedObjects(scope.inventory, known, (intent) => {
    // What was deleted for its successor can be there again.
    if (gone.has(identityOf(intent)) && !intent.replaces) return undefined
    const resource = scope.session.served(intent.group, intent.kind)
    return resource && scope.session.objects(resource).get(intent)
  })
}

/** Deletes with the uid that was recorded, and lets go of what is not ours to delete. */
export async function removeObjects(
  c: Context,
  scope: UnitScope,
  step: { readonly remove: readonly InventoryObject[]; readonly release: readonly InventoryObject[] },
): Promise<Outcome | undefined> {
  for (const entry of step.release) {
    scope.memory.gone.add(identityOf(entry))
    scope.memory.applied.delete(identityOf(entry))
  }
  const outcomes = await Promise.all(step.remove.map((entry) => removeOne(c, scope, entry)))
  scope.memory.lastWriteAt = c.env.clock.steady()
  const failed = outcomes.find((o) => o !== undefined)
  if (failed) return failed
  // What was deleted goes from the cache with its event; until then there is nothing more to do here.
  return step.release.length > 0 ? undefined : { ok: true, afterMs: EVENT_MS }
}

async function removeOne(c: Context, scope: UnitScope, entry: InventoryObject): Promise<Outcome | undefined> {
  const resource = servedAs(scope.session, entry)
  if (!resource) return undefined
  const live = scope.session.objects(resource).get(entry)
  if (!live) return undefined
  const done = await scope.session.client.delete(defineKind(resource), entry, {
    why: 'prune',
    manager: MANAGER,
    fence: { uid: entry.uid, resourceVersion: live.resourceVersion },
    propagation: 'Foreground',
  })
  if (done.ok || done.error.kind === 'NotFound') {
    scope.memory.deleted.set(identityOf(entry), { uid: entry.uid, at: c.env.clock.steady() })
    return undefined
  }
  // What is served is decided anew, and with it what becomes of the entry.
  if (done.error.kind === 'KindUnknown') void scope.session.discover()
  return failedWrite(c, done.error, 'delete')
}

/** Takes our marks off an object that stays (deletionPolicy Orphan). */
export async function orphanObject(scope: UnitScope, { entry, live }: PruneEntry): Promise<boolean> {
  const { session, inventory } = scope
  const resource = servedAs(session, entry)
  if (!resource || typeof live !== 'object' || live.inventory !== inventory.metadata.uid) return true
  const annotations = { [INVENTORY_ANNOTATION]: null, [NONCE_ANNOTATION]: null }
  const patch = { metadata: { labels: { [UNIT_LABEL]: null }, annotations } }
  const done = await session.client.patch(defineKind(resource), entry, patch, {
    why: 'prune',
    manager: MANAGER,
    fence: { uid: live.uid, resourceVersion: live.resourceVersion },
  })
  return done.ok || done.error.kind === 'NotFound'
}
