import { compareText } from '@lockstep/kube/fields'
import { identifierOf } from './identifier.ts'
import type { ManagedFields } from './managedfields.ts'
import type { VersionedSet } from './managersets.ts'
import { timestampSeconds } from './timestampseconds.ts'

const MAX_UPDATERS = 10

/**
 * Keeps the number of updaters bounded: beyond ten, the oldest of a version are folded into one called
 * `ancient-changes` (apimachinery `managedfields/internal/capmanagers.go`).
 */
export function capUpdaters(owners: ManagedFields): ManagedFields {
  const updaters = [...owners.managers.keys()].filter((id) => owners.managers.get(id)?.applied === false)
  if (updaters.length <= MAX_UPDATERS) return owners
  const age = (id: string): number => timestampSeconds(owners.times.get(id))
  updaters.sort((a, b) => age(a) - age(b) || compareText(a, b))
  const managers = new Map(owners.managers)
  const times = new Map(owners.times)
  const firstOf = new Map<string, string>()
  let left = updaters.length
  for (const id of updaters) {
    if (left <= MAX_UPDATERS) break
    const owned = owners.managers.get(id) as VersionedSet
    const first = firstOf.get(owned.version)
    if (first === undefined) {
      firstOf.set(owned.version, id)
      continue
    }
    const bucket = identifierOf({
      manager: 'ancient-changes',
      operation: 'Update',
      apiVersion: owned.version,
    })
    const before = managers.get(bucket) ?? (managers.get(first) as VersionedSet)
    if (!managers.has(bucket)) managers.delete(first)
    managers.set(bucket, { ...owned, set: owned.set.union(before.set) })
    if (id !== bucket) managers.delete(id)
    left--
    const time = owners.times.get(id)
    if (time === undefined) times.delete(bucket)
    else times.set(bucket, time)
  }
  return { managers, times }
}
