/** Evidence for verdicts: an object does not fail because its watch is silent. */

import type { NewBlocker } from '../../../api/blocker.ts'
import type { Evaluation, UnitInput } from '../../../deliver/state/index.ts'
import { FRESH_MS } from '../../../fleet/connection/index.ts'
import type { UnitWatches } from '../../runtime/index.ts'
import { isObserved } from '../externalobjects.ts'
import type { UnitScope } from '../unitscope.ts'

const VERDICTS: ReadonlySet<string> = new Set(['HealthTimeout', 'ObjectFailed'])

export const isVerdict = (blocker: NewBlocker | undefined): boolean =>
  blocker !== undefined && VERDICTS.has(blocker.reason)

/** Whether caches are evidence for the state of a unit. */
export interface FreshEvidence {
  /** An object counts as failed, and a watch was silent for a minute: the kind is being listed. */
  readonly isMissing: boolean
  /** Milliseconds until caches of objects that are not ready must be checked again. */
  readonly wakeInMs: number | undefined
}

/** Lists the kinds of objects that are not ready and whose watch was silent for a minute. */
export function freshEvidence(
  { session }: UnitScope,
  watches: UnitWatches,
  input: UnitInput,
  e: Evaluation,
): FreshEvidence {
  const unready = e.states.flatMap((state, n) => {
    if (state.type === 'applied' && state.health.state !== 'Healthy') return [{ n, blocker: state.failed }]
    const isOpen =
      state.type === 'waiting' || state.type === 'failed' || (state.type === 'wait' && !state.met)
    return isOpen ? [{ n, blocker: state.blocker }] : []
  })
  if (unready.length === 0) return { isMissing: false, wakeInMs: undefined }
  let isCurrent = watches.areCurrent()
  for (const { n } of unready) {
    const d = input.desired.objects[n]
    if (d?.resource && !isObserved(d) && !session.isCurrent(d.resource)) isCurrent = false
  }
  const isWaiting = unready.some(({ blocker }) => !isVerdict(blocker))
  return {
    isMissing: !isCurrent && unready.some(({ blocker }) => isVerdict(blocker)),
    wakeInMs: isWaiting ? FRESH_MS : undefined,
  }
}
