import type { FieldSet } from '@lockstep/kube/fields'

/** What one manager owns, in the version in which it said so. */
export interface VersionedSet {
  readonly set: FieldSet
  readonly version: string
  readonly applied: boolean
}

/** By manager identifier. */
export type ManagerSets = ReadonlyMap<string, VersionedSet>

export function sameManagers(a: ManagerSets, b: ManagerSets): boolean {
  if (a === b) return true
  if (a.size !== b.size) return false
  for (const [id, x] of a) {
    const y = b.get(id)
    if (!y || x.version !== y.version || x.applied !== y.applied || !x.set.equals(y.set)) return false
  }
  return true
}
