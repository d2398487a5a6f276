/** Events about objects that change hands, of both units. */
import { type ObjectReference, refText, type Stored } from '@lockstep/kube/object'
import type { Inventory } from '../../../api/kinds/index.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { parseUnitName } from '../../../deliver/plan/index.ts'
import type { UnitDeps, UnitScope } from '../unitscope.ts'

const MOST_OBJECTS = 10

/** As an Event has them: ten are named. */
export function shownObjects(objects: readonly string[]): string {
  const more = objects.length > MOST_OBJECTS ? ` and ${objects.length - MOST_OBJECTS} more` : ''
  return `${objects.slice(0, MOST_OBJECTS).join(', ')}${more}`
}

/** A unit, and its Inventory if there is one. */
interface Party {
  readonly ref: ModuleRef
  readonly inventory: Stored<Inventory> | undefined
}

/** An Event of both. */
export function tellParties(
  c: Pick<UnitDeps, 'env' | 'events'>,
  cluster: string,
  objects: readonly ObjectReference[],
  { giver, receiver }: { readonly giver: Party; readonly receiver: Party },
): void {
  const what = shownObjects(objects.map(refText))
  const note = { type: 'Normal', reason: 'HandedOver', action: 'Deliver', of: what } as const
  const text = (verb: string, { ref }: Party): string =>
    `${what}: ${verb} ${ref.kind} ${ref.name} on ${cluster}`
  if (giver.inventory) c.events.record(giver.inventory, [{ ...note, text: text('handed over to', receiver) }])
  if (receiver.inventory)
    c.events.record(receiver.inventory, [{ ...note, text: text('taken over from', giver) }])
}

/** An object that this unit has taken from another one. */
export function tellTaken(
  c: UnitDeps,
  { ref, inventory, cluster }: UnitScope,
  object: ObjectReference,
  from: string,
): void {
  const giver = parseUnitName(from)
  if (!giver) return
  const parties = {
    giver: { ref: giver, inventory: c.hub.unit(giver, cluster.name) },
    receiver: { ref, inventory },
  }
  tellParties(c, cluster.name, [object], parties)
}
