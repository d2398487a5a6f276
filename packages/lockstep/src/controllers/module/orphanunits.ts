/** A deleted module goes without some of its clusters: what is there stays as it is, and nobody acts on it any more. */
import { type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { type Inventory, inventoryKind, type Module } from '../../api/kinds/index.ts'
import { MANAGER, ORPHAN_ANNOTATION, ORPHANED_ANNOTATION } from '../../api/labels.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import { orphanedUnitSpec } from '../../deliver/step/index.ts'
import { failed, hubTime, unitFields } from '../runtime/index.ts'
import type { ModuleDeps } from './moduledeps.ts'
import type { UnitFacts } from './unitviews.ts'

/** Names in the annotation by which a person gives clusters up. */
export const namedOrphans = ({ metadata }: Pick<Stored<Module>, 'metadata'>): ReadonlySet<string> =>
  new Set(
    (metadata.annotations?.[ORPHAN_ANNOTATION] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )

/** No module waits for them: the cluster is not known any more, or is going. */
const LOST: ReadonlySet<string> = new Set(['Absent', 'Deleting'])

/** What keeps a deleted module from going. */
export const isWaitedFor = ({ view }: Pick<UnitFacts, 'view'>): boolean =>
  view.present && !LOST.has(view.clusterState)

/** It cannot be worked on, so that the deletion waits for somebody to bring it back, or to give it up. */
export const isOutOfReach = (u: Pick<UnitFacts, 'view'>): boolean =>
  isWaitedFor(u) && u.view.clusterState !== 'Connected' && u.view.clusterState !== 'Connecting'

/**
 * Pure. Units that a deleted module goes without now: those that a person has named and that cannot be worked on, at once;
 * those of clusters that are not known any more, when it waits for nothing else. What comes back before that is emptied.
 */
export function unitsToOrphan(
  module: Pick<Stored<Module>, 'metadata'>,
  units: readonly UnitFacts[],
): UnitFacts[] {
  const named = namedOrphans(module)
  const asked = units.filter((u) => isOutOfReach(u) && named.has(u.view.cluster))
  const isLast = units.every((u) => !isWaitedFor(u) || asked.includes(u))
  return isLast ? units.filter((u) => u.view.present) : asked
}

/** On the version that was read: whoever works on the unit meanwhile is seen. */
export async function orphanUnit(
  c: Pick<ModuleDeps, 'env' | 'hub'>,
  inventory: Stored<Inventory>,
  moduleUid: string,
): Promise<ReconcileResult> {
  const at = timestamp(hubTime(c).nowMs)
  const { annotations = {} } = inventory.metadata
  const marked = { ...annotations, [ORPHANED_ANNOTATION]: annotations[ORPHANED_ANNOTATION] ?? at }
  const body = {
    ...inventory,
    metadata: { ...inventory.metadata, annotations: marked },
    spec: orphanedUnitSpec(inventory.spec, moduleUid, at),
  }
  const done = await c.hub.own.update(inventoryKind, body, { purpose: 'inventory', manager: MANAGER })
  if (!done.ok) return failed(done.error)
  c.hub.inventories.observeWrite(done.value)
  const { name } = inventory.spec.clusterRef
  const fields = unitFields(refOfInventory(inventory), name)
  c.env.log.info(
    `orphaned with its Module; objects on ${name} stay`,
    Object.assign({ reason: 'Orphaned' }, fields),
  )
  return { ok: true }
}
