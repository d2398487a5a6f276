/**
 * Objects that their holder hands over instead of deleting them. Four writes, and a new process continues after each of them: an
 * intent in the Inventory of the receiver, the marks on the object, the entry in that Inventory, and the removal of the giver's
 * entry with its next record.
 */

import type { RequestError } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { defineKind, identityOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Inventory, InventoryObject } from '../../../api/kinds/index.ts'
import { MANAGER } from '../../../api/labels.ts'
import { type ModuleRef, moduleId } from '../../../decisions/graph/index.ts'
import type { HandedObject } from '../../../deliver/deletion/index.ts'
import { marksPatch } from '../../../deliver/ownership/index.ts'
import { unitName } from '../../../deliver/plan/index.ts'
import { withAnnounced } from '../../../deliver/step/index.ts'
import { servedAs } from '../../../fleet/connection/index.ts'
import { isOtherCluster } from '../../cache/index.ts'
import { failed, requeueAfter } from '../../runtime/index.ts'
import type { RecordDeleteFailure } from '../deleteoutcome.ts'
import { createInventory } from '../delivery/createinventory.ts'
import { contacted, type UnitDeps, type UnitScope, writeInventory } from '../unitscope.ts'
import { tellParties } from './tellparties.ts'

/** The Inventory of a receiver is being replaced, or removed: its event comes first. */
const RECEIVER_MS = 5000

/** Undefined: all of them have changed hands, or their refusal was noted. */
export async function handOver(
  c: UnitDeps,
  scope: UnitScope,
  objects: readonly HandedObject[],
  noted: RecordDeleteFailure,
): Promise<ReconcileResult | undefined> {
  const recorded = objects.some((o) => o.inherited) ? await recordGone(c, scope) : undefined
  if (recorded) return recorded
  const receivers = new Map(objects.map(({ to }) => [moduleId(to), to]))
  for (const [id, to] of receivers) {
    const mine = objects.filter((o) => moduleId(o.to) === id)
    const done = await handOverTo(c, scope, to, mine, noted)
    if (done) return done
  }
  return undefined
}

/**
 * The entries of objects that are gone go first. The receiver of a Namespace or definition would take them for objects in it, and
 * two units that are being removed would hand it to each other for ever.
 */
async function recordGone(
  c: UnitDeps,
  { inventory, memory }: UnitScope,
): Promise<ReconcileResult | undefined> {
  const { objects = [], ...spec } = inventory.spec
  const left = objects.filter((o) => memory.gone.get(identityOf(o)) !== o.uid)
  if (left.length === objects.length) return undefined
  const done = await writeInventory(c, inventory, { ...spec, objects: left })
  return done.ok ? requeueAfter(1) : failed(done.error)
}

async function handOverTo(
  c: UnitDeps,
  scope: UnitScope,
  to: ModuleRef,
  objects: readonly HandedObject[],
  noted: RecordDeleteFailure,
): Promise<ReconcileResult | undefined> {
  const known = c.hub.unit(to, scope.cluster.name)
  if (known && !isUsable(known, scope)) return requeueAfter(RECEIVER_MS)
  const announced = await announce(c, scope, to, known, objects)
  if (!announced.ok) return failed(announced.error)
  // Its Module was deleted since.
  if (!announced.value) return requeueAfter(1)
  const receiver = announced.value
  const moved = await Promise.all(objects.map((o) => moveMarks(scope, to, receiver, o, noted)))
  const lost = moved.find((m) => typeof m === 'object')
  const received = objects.filter((_, i) => moved[i] === 'moved').map(receivedEntry(scope))
  if (received.length > 0) {
    const latest = c.hub.unit(to, scope.cluster.name) ?? receiver
    const recorded = await writeInventory(c, latest, withReceived(latest.spec, received))
    if (!recorded.ok) return failed(recorded.error)
    for (const entry of received) {
      scope.memory.gone.set(identityOf(entry), entry.uid)
      scope.memory.applied.delete(identityOf(entry))
    }
    const { ref, inventory, cluster } = scope
    tellParties(c, cluster.name, received, {
      giver: { ref, inventory },
      receiver: { ref: to, inventory: recorded.value },
    })
  }
  return lost
}

const isUsable = (inventory: Stored<Inventory>, { session }: UnitScope): boolean =>
  inventory.metadata.deletionTimestamp === undefined && !isOtherCluster(inventory, session.uid)

/**
 * Announces the objects in the Inventory of the receiver, which is created with that where there is none. An object with its marks
 * was announced before. Undefined: the receiver has no Module.
 */
async function announce(
  c: UnitDeps,
  { label, cluster, session }: UnitScope,
  to: ModuleRef,
  known: Stored<Inventory> | undefined,
  objects: readonly HandedObject[],
): Promise<Result<Stored<Inventory> | undefined, RequestError>> {
  const { intents = [] } = known?.spec ?? {}
  const open = objects.filter(
    ({ entry, isMoved }) =>
      !isMoved && !intents.some((i) => identityOf(i) === identityOf(entry) && i.takes?.uid === entry.uid),
  )
  if (known && open.length === 0) return ok(known)
  const wanted = open.map(({ entry, inherited }) => ({
    d: { id: identityOf(entry), ref: entry },
    replaces: undefined,
    takes: {
      uid: entry.uid,
      from: label,
      ...(entry.existed === undefined ? {} : { existed: entry.existed }),
      ...(inherited ? { inherited } : {}),
    },
  }))
  const next = withAnnounced(intents, wanted, () => c.env.random.uuid())
  if (known) {
    const inventory = contacted(known, session)
    return writeInventory(c, inventory, { ...inventory.spec, intents: next })
  }
  const module = c.hub.module(to)
  return module ? createInventory(c, to, module.metadata.uid, { cluster, session }, next) : ok(undefined)
}

/** Our marks give way to those of the receiver, on the version that was seen; no value of the object changes. */
async function moveMarks(
  scope: UnitScope,
  to: ModuleRef,
  receiver: Stored<Inventory>,
  { entry, isMoved }: HandedObject,
  noted: RecordDeleteFailure,
): Promise<ReconcileResult | 'moved' | 'refused'> {
  if (isMoved) return 'moved'
  const { session } = scope
  const resource = servedAs(session, entry)
  const live = resource && session.objects(resource).get(entry)
  if (!resource || !live) return requeueAfter(1)
  const nonce = receiver.spec.intents?.find((i) => identityOf(i) === identityOf(entry))?.nonce
  const marks = { unit: unitName(to), inventoryUid: receiver.metadata.uid, nonce }
  const done = await session.client.patch(defineKind(resource), entry, marksPatch(live.object, marks), {
    purpose: 'prune',
    manager: MANAGER,
    precondition: { uid: entry.uid, resourceVersion: live.resourceVersion },
  })
  if (done.ok) {
    session.wrote(resource, done.value)
    return 'moved'
  }
  if (done.error.kind === 'NotFound') return requeueAfter(1)
  return noted(entry, live, done.error) ? 'refused' : failed(done.error, 'hand over')
}

/** An entry without content, until the receiver applies the object. The receiver decides about its deletion. */
const receivedEntry =
  ({ label }: UnitScope) =>
  ({ entry, inherited }: HandedObject): InventoryObject => {
    const { group, kind, namespace, name, version, uid, existed, level, part, early } = entry
    return {
      group,
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      version,
      uid,
      content: '',
      fields: '',
      from: label,
      ...(existed === undefined ? {} : { existed }),
      ...(inherited ? { inherited } : {}),
      level,
      ...(part === undefined ? {} : { part }),
      ...(early === undefined ? {} : { early }),
    }
  }

function withReceived(
  { objects = [], intents = [], ...rest }: Inventory['spec'],
  received: readonly InventoryObject[],
): Inventory['spec'] {
  const ids = new Set(received.map(identityOf))
  const others = objects.filter((o) => !ids.has(identityOf(o)))
  const pending = intents.filter((i) => !ids.has(identityOf(i)))
  const all = [...others, ...received].sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1))
  return { ...rest, objects: all, ...(pending.length === 0 ? {} : { intents: pending }) }
}
