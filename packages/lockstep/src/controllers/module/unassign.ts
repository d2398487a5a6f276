/** Writes of assignments. An admission swaps the same object, so that one of the two loses. */

import type { KubeResult } from '@lockstep/kube/client'
import { ok } from '@lockstep/kube/env'
import { keyOf, keyText, type Stored } from '@lockstep/kube/object'
import { type Inventory, type InventorySpec, inventoryKind, type Module } from '../../api/kinds/index.ts'
import { INVENTORY_FINALIZER, MANAGER } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { isUnusedInventory, newInventory } from '../../deliver/step/index.ts'
import {
  admittedAssignment,
  assignmentOf,
  isOtherCluster,
  type NewAssignment,
  toAssignment,
} from '../cache/index.ts'
import { withFinalizer } from '../runtime/index.ts'
import type { ModuleDeps } from './moduledeps.ts'
import type { UnitFacts } from './unitviews.ts'

type WriteDeps = Pick<ModuleDeps, 'hub' | 'fleet' | 'limits'>

/** The executor writes the same object. */
const TRIES = 5

/**
 * Assigns a revision, or a removal, to a unit. Its Inventory is created where there is none. False: the Inventory is that of
 * the cluster that had the name before; the event of its deletion requeues the Module.
 */
export function assignUnitTo(
  c: WriteDeps,
  ref: ModuleRef,
  module: Stored<Module>,
  { view, cluster }: UnitFacts,
  assigned: NewAssignment,
): Promise<KubeResult<boolean>> {
  const name = view.cluster
  const known = c.hub.unit(ref, name)
  if (known && isOtherCluster(known, cluster && c.fleet.connection(cluster)?.uid))
    return Promise.resolve(ok(false))
  if (known)
    return change(c, known, (i) => ({
      ...i.spec,
      assigned: toAssignment(module, assigned, assignmentOf(i)),
    }))
  const spec = { assigned: toAssignment(module, assigned, undefined) }
  const place = { kind: cluster?.kind ?? 'Secret', name }
  const body = newInventory({ ref, uid: module.metadata.uid, cluster: place, spec })
  return inTurn(c, ref, name, async () => {
    const made = await c.hub.own.create(inventoryKind, body, { purpose: 'record', manager: MANAGER })
    if (!made.ok) return made
    c.hub.inventories.observeWrite(made.value)
    return ok(true)
  })
}

/**
 * Back to the revision of the admission, or to nothing. True: the earlier assignment can admit the unit no more; false: it has.
 */
export function unassign(
  c: WriteDeps,
  ref: ModuleRef,
  module: Stored<Module>,
  { view, record }: UnitFacts,
): Promise<KubeResult<boolean>> {
  const known = c.hub.unit(ref, view.cluster)
  if (!known) return Promise.resolve(ok(true))
  return change(c, known, (i) => {
    if (i.spec.admitted && i.spec.admitted.revision === record?.revision) return undefined
    const { assigned: _assigned, ...rest } = i.spec
    const back = admittedAssignment(i, record?.stage)
    return back ? { ...rest, assigned: toAssignment(module, back, assignmentOf(i)) } : rest
  })
}

/** The assignment of a unit of which nothing was delivered: the unit goes with it. */
export function deleteAssignment(
  c: WriteDeps,
  ref: ModuleRef,
  { view }: Pick<UnitFacts, 'view'>,
): Promise<KubeResult<boolean>> {
  const known = c.hub.unit(ref, view.cluster)
  if (!known) return Promise.resolve(ok(true))
  return change(c, known, ({ spec: { assigned: _assigned, ...rest } }) => rest)
}

/** Nothing of the unit was delivered, nor may anything be under way. */
export const isUndelivered = ({ spec: { assigned: _assigned, ...spec } }: Pick<Inventory, 'spec'>): boolean =>
  isUnusedInventory({ spec })

/** `next` undefined: nothing is written, and the answer is false. After a lost swap it is decided on what is there now. */
async function change(
  c: WriteDeps,
  known: Stored<Inventory>,
  next: (seen: Stored<Inventory>) => InventorySpec | undefined,
): Promise<KubeResult<boolean>> {
  const { own, inventories } = c.hub
  return inTurn(c, known.metadata, known.metadata.name, async () => {
    let seen = known
    for (let left = TRIES; ; left--) {
      const spec = next(seen)
      if (!spec) return ok(false)
      const done = await own.update(inventoryKind, kept({ ...seen, spec }), {
        purpose: 'record',
        manager: MANAGER,
      })
      if (done.ok) {
        inventories.observeWrite(done.value)
        return ok(true)
      }
      if (done.error.kind !== 'FenceLost' || left <= 1) return done
      const read = await own.get<Inventory>(inventoryKind, keyOf(seen), { purpose: 'reread' })
      if (!read.ok) return read
      // Another process assigns this unit, or another one of its name: the decision is repeated.
      if (!isSameAssignment(read.value, known)) return done
      seen = read.value
    }
  })
}

const isSameAssignment = (a: Stored<Inventory>, b: Stored<Inventory>): boolean =>
  a.metadata.uid === b.metadata.uid && assignmentOf(a)?.serial === assignmentOf(b)?.serial

/** The controller of units may have begun to drop it, because nothing was assigned. */
function kept(inventory: Stored<Inventory>): Stored<Inventory> {
  const { metadata } = inventory
  if (metadata.deletionTimestamp !== undefined) return inventory
  const finalizers = withFinalizer(metadata.finalizers, INVENTORY_FINALIZER)
  return { ...inventory, metadata: { ...metadata, finalizers } }
}

const inTurn = <T>(
  { limits }: WriteDeps,
  { namespace }: { readonly namespace?: string | undefined },
  name: string,
  write: () => Promise<T>,
): Promise<T> => limits.assignmentWrites.run(keyText({ namespace, name }), write)
