/** Objects that stay on a cluster when nobody looks after them any more: our marks are taken off. */

import { isTransient, type RequestError } from '@lockstep/kube/client'
import { defineKind, identityOf, refText, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { INVENTORY_ANNOTATION, MANAGER, NONCE_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import type { PruneEntry } from '../../deliver/deletion/index.ts'
import { type LiveObject, servedAs } from '../../fleet/connection/index.ts'
import { failed } from '../runtime/index.ts'
import type { RecordDeleteFailure } from './deleteoutcome.ts'
import { shownObjects } from './handover/tellparties.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'

/** As much as a patch needs to know of it. */
type ObservedVersion = Pick<LiveObject, 'uid' | 'resourceVersion'>

/** Undefined: they are off, or the object is gone. */
async function takeMarksOff(
  { session }: Pick<UnitScope, 'session'>,
  entry: InventoryObject,
  live: ObservedVersion,
): Promise<RequestError | undefined> {
  const resource = servedAs(session, entry)
  if (!resource) return undefined
  const annotations = { [INVENTORY_ANNOTATION]: null, [NONCE_ANNOTATION]: null }
  const patch = { metadata: { labels: { [UNIT_LABEL]: null }, annotations } }
  const done = await session.client.patch(defineKind(resource), entry, patch, {
    purpose: 'prune',
    manager: MANAGER,
    precondition: { uid: live.uid, resourceVersion: live.resourceVersion },
  })
  return done.ok || done.error.kind === 'NotFound' ? undefined : done.error
}

/**
 * Of those that our caches do not have: they are gone, or somebody has taken our label off, by which caches look. The
 * annotation that is left would name an Inventory of which nobody will know.
 */
export function unmarkHidden(
  scope: UnitScope,
  entries: readonly InventoryObject[],
): Promise<ReconcileResult | undefined> {
  return unmarkAll(entries, (entry) => unmarkOne(scope, entry))
}

async function unmarkOne(scope: UnitScope, entry: InventoryObject): Promise<RequestError | undefined> {
  const { session, memory, inventory } = scope
  const resource = servedAs(session, entry)
  if (!resource || session.objects(resource).get(entry)) return undefined
  // We have deleted it ourselves.
  if (memory.deleted.get(identityOf(entry))?.uid === entry.uid) return undefined
  // With a label it is another unit's, or about to be in our caches.
  return unmarkRead({ session, inventory }, entry, (labels) => labels?.[UNIT_LABEL] === undefined)
}

/** Looked at on the cluster, where it may have our marks without being in our caches. */
async function unmarkRead(
  scope: Pick<UnitScope, 'session' | 'inventory'>,
  entry: InventoryObject,
  isMeant: (labels: Stored['metadata']['labels']) => boolean,
): Promise<RequestError | undefined> {
  const { session, inventory } = scope
  const resource = servedAs(session, entry)
  if (!resource) return undefined
  const found = await session.client.get(defineKind(resource), entry, { purpose: 'prune' })
  if (!found.ok) return found.error.kind === 'NotFound' ? undefined : found.error
  const { labels, annotations, deletionTimestamp } = found.value.metadata
  const isOurs = annotations?.[INVENTORY_ANNOTATION] === inventory.metadata.uid
  if (!isOurs || deletionTimestamp !== undefined || !isMeant(labels)) return undefined
  return takeMarksOff(scope, entry, found.value.metadata)
}

/** Of all that a unit has that was given up, once its cluster is back: before nobody knows of it any more. */
export function unmarkOrphaned(
  scope: Pick<UnitScope, 'session' | 'inventory'>,
): Promise<ReconcileResult | undefined> {
  return unmarkAll(scope.inventory.spec.objects ?? [], (entry) => unmarkRead(scope, entry, () => true))
}

/** Undefined: they are off, or the cluster does not let us, which holds nothing up. */
async function unmarkAll(
  entries: readonly InventoryObject[],
  unmark: (entry: InventoryObject) => Promise<RequestError | undefined>,
): Promise<ReconcileResult | undefined> {
  const done = await Promise.all(entries.map(unmark))
  const lost = done.find((e) => e && isTransient(e))
  return lost && failed(lost, 'release')
}

/** Of one that stays by `deletionPolicy: Orphan`; false: our marks are still on it. */
export async function orphanObject(
  scope: UnitScope,
  { entry, live }: PruneEntry,
  noted: RecordDeleteFailure,
): Promise<boolean> {
  if (typeof live !== 'object' || live.inventory !== scope.inventory.metadata.uid) return true
  const error = await takeMarksOff(scope, entry, live)
  if (error) noted(entry, live, error)
  return error === undefined
}

/**
 * One after the other, in the order given: what would take others along is let go of before them, so that nobody who
 * finds only half of it done deletes it.
 */
export async function orphanObjectsInOrder(
  c: UnitDeps,
  scope: UnitScope,
  entries: readonly InventoryObject[],
  noted: RecordDeleteFailure,
): Promise<ReconcileResult | undefined> {
  const released: string[] = []
  let lost: ReconcileResult | undefined
  for (const entry of entries) {
    const resource = servedAs(scope.session, entry)
    const live = resource && scope.session.objects(resource).get(entry)
    const error = live && (await takeMarksOff(scope, entry, live))
    if (error) {
      // It may be what would take the next ones along.
      if (!noted(entry, live, error)) lost = failed(error, 'release')
      break
    }
    scope.memory.gone.set(identityOf(entry), live?.uid ?? entry.uid)
    scope.memory.applied.delete(identityOf(entry))
    if (live) released.push(refText(entry))
  }
  if (released.length > 0) tell(c, scope, released)
  return lost
}

function tell(c: UnitDeps, { inventory, cluster }: UnitScope, released: readonly string[]): void {
  const shown = shownObjects(released)
  const text = `${shown}: kept on ${cluster.name}, no longer managed`
  const of = `${inventory.spec.admitted?.serial} ${shown}`
  c.events.record(inventory, [{ type: 'Normal', reason: 'Orphaned', action: 'Deliver', text, of }])
}
