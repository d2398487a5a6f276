import { type FieldPath, FieldSet, fieldElement } from '@lockstep/kube/fields'
import type { ManagedFieldsEntry } from '@lockstep/kube/object'
import { decodeManagedFields, encodeManagedFields } from './managedfields.ts'
import type { VersionedSet } from './managersets.ts'

const SCALE_VERSION = 'autoscaling/v1'
const IN_SCALE: FieldPath = [fieldElement('spec'), fieldElement('replicas')]

/** Where the replicas of a resource are, by apiVersion; null where a version has no scale subresource. */
export type ReplicasPaths = Readonly<Record<string, readonly string[] | null>>

type ScaleEntries = readonly ManagedFieldsEntry[] | undefined

const pathIn = (paths: ReplicasPaths, version: string): FieldPath | null | undefined =>
  Object.hasOwn(paths, version) ? (paths[version]?.map(fieldElement) ?? null) : undefined

/**
 * Owners of a resource as owners of its scale: whoever owns the replicas there owns `.spec.replicas` here
 * (apimachinery `managedfields/scalehandler.go`).
 * @throws Error if an entry is not valid
 */
export function scaleOwners(parent: ScaleEntries, paths: ReplicasPaths): ScaleEntries {
  const { managers, times } = decodeManagedFields(parent)
  const out = new Map<string, VersionedSet>()
  for (const [id, owned] of managers) {
    const path = pathIn(paths, owned.version)
    if (path && owned.set.has(path))
      out.set(id, { set: FieldSet.fromPaths([IN_SCALE]), version: SCALE_VERSION, applied: owned.applied })
  }
  return encodeManagedFields({ managers: out, times })
}

/**
 * Owners of a resource after a write to its scale: who lost the replicas there loses them here, who got them there owns
 * them here, in the version of the resource.
 * @throws Error if an entry is not valid
 */
export function ownersFromScale(
  parent: ScaleEntries,
  scale: ScaleEntries,
  version: string,
  paths: ReplicasPaths,
): ScaleEntries {
  const before = decodeManagedFields(parent)
  const inScale = decodeManagedFields(scale)
  const fromScale = new Map(inScale.managers)
  const out = new Map<string, VersionedSet>()
  const times = new Map<string, string>()
  const keep = (id: string, owned: VersionedSet, time: string | undefined): void => {
    out.set(id, owned)
    if (time !== undefined) times.set(id, time)
  }
  for (const [id, owned] of before.managers) {
    const path = pathIn(paths, owned.version)
    if (path === undefined) continue
    if (path === null || !owned.set.has(path) || fromScale.has(id)) {
      keep(id, owned, before.times.get(id))
      if (path !== null && owned.set.has(path)) fromScale.delete(id)
      continue
    }
    const set = owned.set.difference(FieldSet.fromPaths([path]))
    if (!set.isEmpty) keep(id, { ...owned, set }, before.times.get(id))
  }
  const path = pathIn(paths, version)
  for (const [id, owned] of fromScale)
    if (path && owned.set.has(IN_SCALE))
      keep(id, { set: FieldSet.fromPaths([path]), version, applied: owned.applied }, before.times.get(id))
  return encodeManagedFields({ managers: out, times })
}
