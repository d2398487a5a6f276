/** Conditions as kstatus reads them: Ready, Reconciling, Stalled. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
  readonly observedGeneration?: number
}

/** Warning: deployed objects were changed outside Lockstep. */
export const DRIFT_DETECTED = 'DriftDetected'

/** A warning: a range gives an older version than is published, which stays. */
export const RESOLVED_OLDER = 'ResolvedOlder'

/** A warning: the source has more than the frozen release. */
export const SOURCE_BEHIND = 'SourceBehind'

/** A warning: objects of another unit were received, and are not applied yet. */
export const HANDOVER_PENDING = 'HandoverPending'
/** A warning: another unit took over objects that this one has, too. */
export const HANDED_OVER = 'HandedOver'

/** How drift is found out; there only where it is not by watching. */
export const DRIFT_DETECTION = 'DriftDetection'
/** Reason of that: what cannot be watched was not listed in time. */
export const CHECK_OVERDUE = 'CheckOverdue'

/** False where the cluster lets us keep no stamp: a hub that is restored from a backup is not noticed there. */
export const RESTORE_DETECTION = 'RestoreDetection'

/** Condition of a Hold with an effect, also while its target is missing. */
export const HOLD_ACTIVE = 'Active'

/** Condition of an Approval that counts, or counted, for the published revision. */
export const APPROVAL_VALID = 'Valid'

/** An object that says of itself whether it is ready. */
interface Reporting {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string }
  readonly status?: { readonly conditions?: readonly NewCondition[] | undefined } | undefined
}

/** The Ready condition; undefined: there is none of the last change of the spec. */
export function currentReady({ metadata, status }: Reporting): NewCondition | undefined {
  const ready = status?.conditions?.find((c) => c.type === 'Ready')
  return (ready?.observedGeneration ?? 0) >= (metadata.generation ?? 0) ? ready : undefined
}

/** Ready at the last change of the spec, and not being deleted: what every surface says of a Module. */
export const isReadyNow = (o: Reporting): boolean =>
  currentReady(o)?.status === 'True' && o.metadata.deletionTimestamp === undefined

export type NewCondition = Omit<Condition, 'lastTransitionTime'>

/**
 * The new list of conditions; a condition whose status is unchanged keeps its transition time, so that an equal
 * status is an equal object (I12).
 */
export function mergeConditions(
  old: readonly Condition[] | undefined,
  next: readonly NewCondition[],
  now: string,
): Condition[] {
  return next.map((c) => {
    const before = old?.find((o) => o.type === c.type)
    return {
      ...c,
      lastTransitionTime: before && before.status === c.status ? before.lastTransitionTime : now,
    }
  })
}
