import { jsonEqual, type KubeObject, type ManagedFieldsEntry } from '@lockstep/kube/object'

/**
 * The live object if the next one differs from it in nothing but the times of its owners: such a write is none
 * (apiserver `endpoints/handlers/fieldmanager/equality.go`).
 */
export function withoutNewTimes(live: KubeObject, next: KubeObject): KubeObject {
  if (live === next) return live
  const [a, b] = [live.metadata.managedFields ?? [], next.metadata.managedFields ?? []]
  if (a.length !== b.length || !a.every((entry, i) => sameEntry(entry, b[i] as ManagedFieldsEntry)))
    return next
  const aged = { ...next, metadata: { ...next.metadata, managedFields: live.metadata.managedFields } }
  return jsonEqual(live, aged) ? live : next
}

const sameEntry = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean =>
  a === b || jsonEqual({ ...a, time: undefined }, { ...b, time: undefined })
