/** Objects that are to go and that others may wait for, with what they say of it themselves. */
import type { InventoryObject, ModuleSpec } from '../../api/kinds/index.ts'
import { kappChangesReader } from '../../decisions/order/index.ts'
import { mayWaitForDeletions, type ObjectToDelete, type UnitDesiredState } from '../../deliver/plan/index.ts'
import { type LiveObject, servedAs } from '../../fleet/connection/index.ts'
import type { UnitScope } from './unitscope.ts'

/** None where the bundle has no rules of kapp, or nothing is pruned: nobody waits for them then. */
export function pendingDeletions(
  { session }: UnitScope,
  desired: UnitDesiredState,
  entries: ReadonlyMap<string, InventoryObject>,
  { prune, dialects }: ModuleSpec['apply'],
): ObjectToDelete[] {
  if (!prune || !mayWaitForDeletions(desired.graph)) return []
  const changesOf = kappChangesReader(dialects, desired.graph.configs)
  return [...entries].flatMap(([id, entry]): ObjectToDelete[] => {
    if (desired.byId.has(id) || desired.letGo.has(id)) return []
    const resource = servedAs(session, entry)
    if (!resource) return []
    const store = session.objects(resource)
    const live: LiveObject | undefined = store.get(entry)
    if (live) return [{ entry, live, changes: changesOf(live.object) }]
    const isRead = store.freshness.state !== 'Syncing'
    return isRead ? [] : [{ entry, live: 'unknown', changes: { groups: [], rules: [] } }]
  })
}
