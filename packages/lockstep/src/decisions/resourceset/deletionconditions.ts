/** Conditions of a ClusterResourceSet whose Module is being deleted, with or without the set. Pure. */
import type { NewCondition } from '../../api/conditions.ts'
import { conditionMessage } from '../../api/reasons/index.ts'
import { CONVERGED } from './convergence.ts'

/** A blocker of its Module, in the words of the set. */
export interface SetDeletionCause {
  readonly reason: string
  readonly message: string
}

/**
 * As kstatus reads them: never Current. `causes`: all blockers of its Module, the first gives the reason; `isStuck`: only
 * failed removals are left.
 */
export function deletionConditions(
  causes: readonly SetDeletionCause[],
  isStuck: boolean,
  generation: number,
): NewCondition[] {
  const reason = causes[0]?.reason ?? 'Deleting'
  const texts = causes.map((c, i) => (i === 0 ? c.message : `${c.reason}: ${c.message}`))
  const message = causes.length === 0 ? 'objects are being deleted' : conditionMessage(texts)
  const bad = { reason, message }
  const none = (type: string) => ({ type, status: 'False', reason: `Not${type}`, message: '' }) as const
  const all: NewCondition[] = [
    { type: CONVERGED, status: 'False', ...bad },
    { type: 'Ready', status: 'False', ...bad },
    isStuck ? none('Reconciling') : { type: 'Reconciling', status: 'True', ...bad },
    isStuck ? { type: 'Stalled', status: 'True', ...bad } : none('Stalled'),
  ]
  return all.map((c) => ({ ...c, observedGeneration: generation }))
}
