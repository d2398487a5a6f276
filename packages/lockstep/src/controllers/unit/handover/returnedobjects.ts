/** Objects that a unit gave away and has again. */
import { identityOf } from '@lockstep/kube/object'
import { servedAs } from '../../../fleet/connection/index.ts'
import type { UnitScope } from '../unitscope.ts'

/**
 * Identities of objects that are gone in the memory of the unit and have its marks again. A receiver may hand an object back before
 * this process has recorded the first handover: with the same uid it would stay gone.
 */
export function returnedObjects({ memory, session, inventory }: UnitScope): string[] {
  if (memory.gone.size === 0) return []
  return (inventory.spec.objects ?? []).flatMap((entry) => {
    const id = identityOf(entry)
    if (memory.gone.get(id) !== entry.uid) return []
    const resource = servedAs(session, entry)
    const live = resource && session.objects(resource).get(entry)
    const isOwn = live?.uid === entry.uid && live.inventory === inventory.metadata.uid
    return isOwn && !live.deleting ? [id] : []
  })
}
