/** What is said of a ClusterResourceSet that is deleted with its objects, while clusters keep it from going. Pure. */
import type { NewCondition } from '../../api/conditions.ts'
import { SET } from '../../api/kinds/index.ts'

export const UNREACHABLE = 'ClusterUnreachable'

const MOST_NAMES = 10

/**
 * As kstatus reads them. `unreachable`: clusters with something of it that nothing can be asked of, by name; `held`: what else
 * keeps its objects from being deleted.
 */
export function deletionConditions(
  unreachable: readonly string[],
  held: { readonly reason: string; readonly message: string } | undefined,
  generation: number,
): NewCondition[] {
  const more = unreachable.length > MOST_NAMES ? ` and ${unreachable.length - MOST_NAMES} more` : ''
  const names = `${unreachable.slice(0, MOST_NAMES).join(', ')}${more}`
  const [reason, message] =
    unreachable.length > 0
      ? [
          UNREACHABLE,
          `${names}: bring back, or annotate with ${SET.deletionPolicy}: Orphan: objects then stay`,
        ]
      : held
        ? [held.reason, held.message]
        : ['DeletionBlocked', 'its objects are being deleted']
  const all = [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Reconciling', status: 'True', reason, message },
    { type: 'Stalled', status: 'False', reason: 'NotStalled', message: '' },
  ] as const
  return all.map((c) => ({ ...c, observedGeneration: generation }))
}
