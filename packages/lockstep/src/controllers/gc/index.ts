// The face of this folder: what others import.
export { dropInventory } from './dropinventory.ts'
export { COLLECT_EVERY_MS, COLLECT_REQUEST, garbageCollector } from './garbagecollector.ts'
export type { OrphanDeps } from './orphandeps.ts'
export { ORPHAN_RETENTION_MS, quarantineInventory, reconcileOrphans } from './orphanretention.ts'
