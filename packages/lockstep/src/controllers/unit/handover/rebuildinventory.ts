/**
 * A lost Inventory: the stamp of a unit on its cluster names an Inventory of this hub that does not exist. Objects that name it, too,
 * are announced in the new Inventory before it is admitted; their marks and entries follow as with every object that a unit takes.
 */
import { isTransient, listAll, type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { ConfigMap } from '@lockstep/kube/kinds'
import { refText, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { inventoryKind } from '../../../api/kinds/index.ts'
import { MANAGER } from '../../../api/labels.ts'
import { records } from '../../../api/records.ts'
import { setOf } from '../../../decisions/resourceset/index.ts'
import { type MarkedObject, markedObjects } from '../../../deliver/ownership/index.ts'
import { readStamp, type Stamp, stampObject, withMarked } from '../../../deliver/step/index.ts'
import { failed, requeueAfter } from '../../runtime/index.ts'
import { findStamp, held } from '../stamp.ts'
import { contacted, newNonce, type UnitDeps, type UnitScope, writeInventory } from '../unitscope.ts'
import { reportHeld } from '../unitstatus.ts'
import { shownObjects } from './tellparties.ts'

/** Serial of a stamp before the first admission of its Inventory. */
const UNADMITTED = 0

/** Before the first admission. Undefined: nothing was lost, or it is announced; the unit continues. */
export async function rebuildInventory(c: UnitDeps, scope: UnitScope): Promise<ReconcileResult | undefined> {
  const { inventory, memory, record } = scope
  const { admitted, released, set } = inventory.spec
  if (admitted || released || set || memory.stamp) return undefined
  const hub = await c.content.stampStore.hub()
  if (!hub.ok) return { ok: false }
  const found = await findStamp(scope)
  if (!found.ok) {
    if (isTransient(found.error)) return failed(found.error, 'stamp')
    remember(scope, undefined, requestErrorText(found.error))
    return undefined
  }
  const theirs = found.value && readStamp(found.value)
  if (theirs && theirs.hub !== hub.value && !record?.removal) return report(c, scope, 'foreign', theirs)
  const isFormer = theirs?.hub === hub.value && theirs.inventory !== inventory.metadata.uid
  if (!isFormer) {
    remember(scope, found.value)
    return undefined
  }
  const isLost = await isUnlisted(c, scope, theirs.inventory)
  if (typeof isLost !== 'boolean') return failed(isLost)
  if (!isLost) {
    remember(scope, found.value)
    return undefined
  }
  if (!mayKnowAll(c, scope, theirs)) return report(c, scope, 'newer', theirs)
  return rebuild(c, scope, found.value!, theirs)
}

/**
 * A ClusterResourceSet was moved, or its hub restored, where its records are lost: the hub may know less than the cluster has, unless
 * its binding says that all is applied, and the stamp that it was this.
 */
function mayKnowAll({ hub, content }: UnitDeps, { ref, cluster, record }: UnitScope, theirs: Stamp): boolean {
  const module = hub.module(ref)
  if (module === undefined || setOf(module.metadata) === undefined) return true
  return theirs.revision === record?.revision && content.sets.saysApplied(ref, cluster.name)
}

/** The first write to the cluster does not read the stamp again. */
function remember({ memory }: UnitScope, found: Stored<ConfigMap> | undefined, refused?: string): void {
  memory.stamp = { serial: UNADMITTED, found, refused }
}

async function report(
  c: UnitDeps,
  scope: UnitScope,
  verdict: 'newer' | 'foreign',
  theirs: Stamp,
): Promise<ReconcileResult> {
  const done = await held(c, scope, verdict, theirs)
  if (done.type === 'held') return reportHeld(c, scope, done.blocker)
  return done.type === 'again' ? done.outcome : requeueAfter(1)
}

/** By a complete list of the hub, since caches may be behind. False, too, if our own Inventory was replaced. */
async function isUnlisted(
  c: UnitDeps,
  { ref, inventory }: UnitScope,
  uid: string,
): Promise<boolean | RequestError> {
  const all = await listAll(c.hub.own, inventoryKind, { purpose: 'stamp', namespace: ref.namespace })
  if (!all.ok) return all.error
  const uids = new Set(all.value.map((i) => i.metadata.uid))
  return uids.has(inventory.metadata.uid) && !uids.has(uid)
}

/** The intents first, then the stamp: a process that dies in between does it again. */
async function rebuild(
  c: UnitDeps,
  scope: UnitScope,
  stamp: Stored<ConfigMap>,
  theirs: Stamp,
): Promise<ReconcileResult> {
  const { session, label, cluster } = scope
  const place = { client: session.client, served: session.kinds, namespaces: cluster.namespaces }
  const all = await markedObjects(place, label)
  if (!all.ok) return failed(all.error, 'adopt')
  const lost = all.value.filter((o) => o.inventory === theirs.inventory)
  const inventory = contacted(scope.inventory, session)
  const intents = withMarked(inventory.spec, label, lost, () => newNonce(c, scope))
  const announced =
    lost.length === 0 ? undefined : await writeInventory(c, inventory, { ...inventory.spec, intents })
  if (announced?.ok === false) return failed(announced.error)
  const { uid } = inventory.metadata
  const body = stampObject(label, { ...theirs, inventory: uid, serial: UNADMITTED })
  const done = await session.records.update(
    records.stamp,
    { ...body, metadata: { ...stamp.metadata, ...body.metadata } },
    { purpose: 'stamp', manager: MANAGER },
  )
  if (!done.ok) return failed(done.error, 'stamp')
  remember(scope, done.value)
  tellRebuilt(c, scope, lost)
  return requeueAfter(1)
}

function tellRebuilt(c: UnitDeps, { inventory, cluster }: UnitScope, lost: readonly MarkedObject[]): void {
  const what = shownObjects(lost.map(({ ref }) => refText(ref)))
  const text = `rebuilt from the marks of ${lost.length} objects on ${cluster.name}: ${what}`
  const note = { type: 'Normal', reason: 'InventoryRebuilt', action: 'Deliver' } as const
  c.events.record(inventory, [{ ...note, text, of: what }])
}
