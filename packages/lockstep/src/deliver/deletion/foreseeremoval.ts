/** Result of the removal of a unit, if each write succeeds. Pure. */
import type { InventoryObject } from '../../api/kinds/index.ts'
import { type HandedObject, isNothingToPrune, type PruneEntry, type PruneView, pruneNext } from './prune.ts'

export interface ForeseenRemoval {
  readonly handedOver: readonly HandedObject[]
  readonly deleted: readonly InventoryObject[]
  /** They stay on the cluster, unmanaged. */
  readonly kept: readonly InventoryObject[]
  /** They stay until a person confirms their deletion, or their wait ends. */
  readonly left: readonly PruneEntry[]
}

/** The steps of the removal to their end; with policy `Orphan` only other units get objects. */
export function foreseeRemoval(view: PruneView, policy: 'Delete' | 'Orphan'): ForeseenRemoval {
  const handedOver: HandedObject[] = []
  const deleted: InventoryObject[] = []
  const kept: InventoryObject[] = []
  for (let entries = view.entries; ; ) {
    const all = pruneNext({ ...view, entries })
    const next = policy === 'Delete' ? all : { ...all, remove: [], keep: [] }
    if (isNothingToPrune(next))
      return policy === 'Delete'
        ? { handedOver, deleted, kept, left: entries }
        : { handedOver, deleted, kept: entries.map((p) => p.entry), left: [] }
    handedOver.push(...next.handOver)
    deleted.push(...next.remove)
    kept.push(...next.keep)
    const done = new Set([
      ...next.handOver.map((h) => h.entry),
      ...next.remove,
      ...next.keep,
      ...next.release,
    ])
    entries = entries.filter((p) => !done.has(p.entry))
  }
}
