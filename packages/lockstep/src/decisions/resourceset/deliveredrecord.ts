/** What the Module of a set has delivered to one cluster, as the record of the set has it, and so its binding. Pure. */
import type {
  InventoryStatus,
  ResourceSetSourceRef,
  SetRecord,
  SetSourceRecord,
} from '../../api/kinds/index.ts'

/** What is admitted on the cluster. */
export interface AdmittedSources {
  /** By Cluster API's hash, those of which the revision is made. */
  readonly sources: readonly (ResourceSetSourceRef & { readonly hash: string })[]
  /** All of its objects are applied. */
  readonly isApplied: boolean
}

/** All objects of what is admitted have been applied, whether or not they are well. */
export function isAllApplied(
  { objects, admittedSerial = 0 }: InventoryStatus,
  contentSerial: number,
): boolean {
  return admittedSerial >= contentSerial && objects !== undefined && objects.applied === objects.total
}

/**
 * The record after that; the very same where it says so already. A source whose hash was applied before is applied:
 * nothing of it had to be written, and its time stays. Sources that the revision has not, keep what was said of them
 * until they are no source of the set.
 */
export function nextDeliveredRecord(
  before: SetRecord | undefined,
  { sources, isApplied }: AdmittedSources,
  asked: readonly ResourceSetSourceRef[],
  now: string,
): SetRecord | undefined {
  const known = before?.sources ?? []
  const next = asked.flatMap((ref): SetSourceRecord[] => {
    const entry = known.find((e) => e.kind === ref.kind && e.name === ref.name)
    const admitted = sources.find((s) => s.kind === ref.kind && s.name === ref.name)
    if (!admitted) return entry ? [entry] : []
    if (entry?.applied && entry.hash === admitted.hash && entry.begun !== true) return [entry]
    const { kind, name } = ref
    const time = isApplied ? now : entry?.lastAppliedTime
    return [
      {
        kind,
        name,
        hash: admitted.hash,
        applied: isApplied,
        ...(time === undefined ? {} : { lastAppliedTime: time }),
      },
    ]
  })
  const isSame = next.length === known.length && next.every((e, i) => isEqual(e, known[i]!))
  return isSame ? before : { ...before, sources: next }
}

const isEqual = (a: SetSourceRecord, b: SetSourceRecord): boolean =>
  a === b ||
  (a.kind === b.kind &&
    a.name === b.name &&
    a.hash === b.hash &&
    a.applied === b.applied &&
    a.lastAppliedTime === b.lastAppliedTime &&
    a.done === b.done &&
    a.begun === b.begun &&
    a.again === b.again)

/** Sources of which all is applied by the second record, and was not by the first, or was another content. */
export const newlyApplied = (before: SetRecord | undefined, after: SetRecord): ResourceSetSourceRef[] =>
  (after.sources ?? []).filter(
    (s) =>
      s.applied &&
      !before?.sources?.some((b) => b.kind === s.kind && b.name === s.name && b.applied && b.hash === s.hash),
  )
