// The face of this folder: what others import.
export { dropInventory } from './dropinventory.ts'
export { COLLECT_EVERY_MS, COLLECT_ITEM, COLLECTOR, HubGarbageCollector } from './garbagecollector.ts'
export { ORPHAN_RETENTION_MS, quarantineInventory, reconcileOrphans } from './orphanretention.ts'
