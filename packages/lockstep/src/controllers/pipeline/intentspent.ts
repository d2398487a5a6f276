/** Intents of environments that need no promotion any more, and their blockers. */
import type { Stored } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { Promotion } from '../../api/kinds/index.ts'
import type { EnvironmentIntent, IntentDue } from '../../decisions/promotion/index.ts'

/**
 * A deleted Pipeline of the same identity used the key, and its change was reverted since; or the promotion that superseded it
 * was deleted, and the status was restored.
 */
export const isIntentSpent = (
  last: Stored<Promotion> | undefined,
  intent: EnvironmentIntent | undefined,
): boolean =>
  last !== undefined &&
  last.spec.epoch === intent?.epoch &&
  (last.status?.reason === 'KeyReused' || last.status?.phase === 'Superseded')

/** A requested promotion waits; without a request, only a later promotion does. */
export const waitsOf = (
  { isAsked, blockers }: Extract<IntentDue, { type: 'None' }>,
  waits: readonly NewBlocker[] = [],
) => (isAsked ? { waits: [...waits, ...blockers] } : { waits, following: blockers })
