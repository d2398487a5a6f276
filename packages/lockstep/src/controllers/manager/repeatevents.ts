/** Events that a former leader may not have written, since it ended between a status and its Events. */
import type { HubInformers } from '../cache/index.ts'
import { type EventRecorder, moduleEvents, unitEvents } from '../runtime/index.ts'

type RepeatedHub = Pick<HubInformers, 'modules' | 'bootstrapModules' | 'inventories'>

/** Called once at the start of a leader: Events of all that statuses say. Names of Events make repeats harmless. */
export function repeatEvents(hub: RepeatedHub, events: Pick<EventRecorder, 'repeat'>): void {
  for (const cache of [hub.modules, hub.bootstrapModules])
    for (const module of cache.store.all())
      if (module.status) events.repeat(module, moduleEvents(undefined, module.status))
  for (const inventory of hub.inventories.store.all())
    if (inventory.status) events.repeat(inventory, unitEvents(undefined, inventory.status))
}
