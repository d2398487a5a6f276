/** What becomes of objects that leave: written down with each, so that it holds when their manifests are gone. Pure. */

import { identityOf, jsonEqual } from '@lockstep/kube/object'
import type { InventoryObject } from '../../api/kinds/index.ts'
import type { DeletionAnnotations } from '../../decisions/order/index.ts'
import type { UnitDesiredState } from '../plan/desiredstate.ts'

/** `Prune`: its bundle no longer has it. `Delete`: its unit leaves. */
export type DeletionCause = 'Prune' | 'Delete'

type DeletionRules = Pick<InventoryObject, 'keep' | 'confirm'>
type RecordedDeletion = DeletionRules & Pick<InventoryObject, 'level' | 'part' | 'early'>

/** What is written down of it. */
export function deletionPolicyOf({ prune, delete: isDeleted, confirm }: DeletionAnnotations): DeletionRules {
  const keep: DeletionCause[] = [
    ...(prune ? [] : ['Prune' as const]),
    ...(isDeleted ? [] : ['Delete' as const]),
  ]
  return {
    ...(keep.length > 0 ? { keep } : {}),
    ...(confirm.length > 0 ? { confirm: [...confirm].sort() } : {}),
  }
}

/** Something else is said of one of them than what is written down. */
export const isDeletionPolicyNew = (
  entries: readonly InventoryObject[],
  desired: UnitDesiredState,
): boolean => withDeletionPolicy(entries, desired).some((entry, i) => entry !== entries[i])

/** The entries with what the manifests and their order say now: also of objects that nothing is written to. */
export function withDeletionPolicy(
  entries: readonly InventoryObject[],
  desired: UnitDesiredState,
): InventoryObject[] {
  return entries.map((entry) => {
    const n = desired.byId.get(identityOf(entry)) ?? -1
    const d = desired.objects[n]
    if (!d) return entry
    const { keep, confirm, level, part, early, ...rest } = entry
    const now: RecordedDeletion = { ...deletionPolicyOf(d.options), ...desired.graph.depths[n]! }
    const isSame =
      level === now.level &&
      part === now.part &&
      early === now.early &&
      jsonEqual({ keep, confirm }, { keep: now.keep, confirm: now.confirm })
    return isSame ? entry : { ...rest, ...now }
  })
}
