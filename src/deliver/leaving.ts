/** What becomes of objects that leave: written down with each, so that it holds when their manifests are gone. Pure. */
import type { InventoryObject } from '../api/kinds/inventory.ts'
import type { Leaving } from '../core/order/leaving.ts'
import { identityOf, jsonEqual } from '../object/object.ts'
import type { Desired } from './desired.ts'

/** `Prune`: its bundle no longer has it. `Delete`: its unit leaves. */
export type Leave = 'Prune' | 'Delete'

type Written = Pick<InventoryObject, 'keep' | 'confirm'>

/** What is written down of it. */
export function leavingOf({ prune, delete: isDeleted, confirm }: Leaving): Written {
  const keep: Leave[] = [...(prune ? [] : ['Prune' as const]), ...(isDeleted ? [] : ['Delete' as const])]
  return {
    ...(keep.length > 0 ? { keep } : {}),
    ...(confirm.length > 0 ? { confirm: [...confirm].sort() } : {}),
  }
}

/** Something else is said of one of them than what is written down. */
export const isLeavingNew = (entries: readonly InventoryObject[], desired: Desired): boolean =>
  withLeaving(entries, desired).some((entry, i) => entry !== entries[i])

/** The entries with what the manifests say now: also of objects that nothing is written to. */
export function withLeaving(entries: readonly InventoryObject[], desired: Desired): InventoryObject[] {
  return entries.map((entry) => {
    const d = desired.objects[desired.byId.get(identityOf(entry)) ?? -1]
    if (!d) return entry
    const { keep, confirm, ...rest } = entry
    const now = leavingOf(d.options)
    return jsonEqual({ keep, confirm }, { keep: now.keep, confirm: now.confirm })
      ? entry
      : { ...rest, ...now }
  })
}
