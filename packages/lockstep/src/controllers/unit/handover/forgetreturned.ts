/** Objects that a unit gave away, and that are its own again. */
import { identityOf } from '@lockstep/kube/object'
import { servedAs } from '../../../fleet/connection/index.ts'
import type { UnitScope } from '../unitscope.ts'

/**
 * Call it before a unit is looked at. An object that was handed over may be handed back before this process has recorded that it is
 * gone: with the same uid, it would never be looked at again.
 */
export function forgetReturned({ memory, session, inventory }: UnitScope): void {
  if (memory.gone.size === 0) return
  for (const entry of inventory.spec.objects ?? []) {
    if (memory.gone.get(identityOf(entry)) !== entry.uid) continue
    const resource = servedAs(session, entry)
    const live = resource && session.objects(resource).get(entry)
    const isOwn = live?.uid === entry.uid && live.inventory === inventory.metadata.uid
    if (isOwn && !live.deleting) memory.gone.delete(identityOf(entry))
  }
}
