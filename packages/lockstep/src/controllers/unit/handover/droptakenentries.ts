/** Objects that other units have taken from a unit that is not deployed. */
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { isOfForeignUnit } from '../../../deliver/ownership/index.ts'
import { servedAs } from '../../../fleet/connection/index.ts'
import { failed, requeueAfter } from '../../runtime/index.ts'
import { type UnitDeps, type UnitScope, writeInventory } from '../unitscope.ts'

/**
 * A unit that received objects before its first admission, and gives some of them away again: only a delivery records that,
 * and there is none. Undefined: no entry was removed.
 */
export async function dropTakenEntries(c: UnitDeps, scope: UnitScope): Promise<ReconcileResult | undefined> {
  const { inventory, session, label } = scope
  const { objects = [], ...spec } = inventory.spec
  if (objects.length === 0) return undefined
  session.use(label, objects)
  const left = objects.filter((entry) => {
    const resource = servedAs(session, entry)
    const live = resource && session.objects(resource).get(entry)
    return !live || !isOfForeignUnit(live, inventory.metadata.uid)
  })
  if (left.length === objects.length) return undefined
  const next = left.length === 0 ? spec : { ...spec, objects: left }
  const done = await writeInventory(c, inventory, next)
  return done.ok ? requeueAfter(1) : failed(done.error)
}
