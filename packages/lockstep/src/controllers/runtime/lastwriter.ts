/** Who has changed a spec: kept beside the caches, which do without managers. */
import { type KubeObject, type ManagedFieldsEntry, type Stored, withoutManagers } from '@lockstep/kube/object'

const writers = new WeakMap<object, string>()

/** As caches keep it. */
export function withoutManagersButWriter<T extends KubeObject>(o: T): T {
  const kept = withoutManagers(o)
  const writer = specWriter(o.metadata.managedFields ?? [])
  if (writer !== undefined) writers.set(kept, writer)
  return kept
}

/** Of an object as a cache gave it; undefined: nobody knows. */
export const lastWriterOf = (cached: Stored): string | undefined => writers.get(cached)

/** The field manager that wrote the spec last, whatever else others have written since. */
export function specWriter(managers: readonly ManagedFieldsEntry[]): string | undefined {
  const writes = managers.filter((m) => m.subresource === undefined && m.fieldsV1?.['f:spec'] !== undefined)
  const last = writes.reduce<ManagedFieldsEntry | undefined>(
    (a, b) => (a === undefined || (b.time ?? '') > (a.time ?? '') ? b : a),
    undefined,
  )
  return last?.manager
}
