/** Whether the hub's clock and ours agree well enough to go by either. */
import { shortDuration } from '@lockstep/kube/object'

/** By more than so much two clocks that somebody cares for do not differ. */
export const MOST_SKEW_MS = 30_000

/**
 * By how many milliseconds our clock is ahead of the hub's, where that is too much to trust either of them, or `Unknown`
 * where the hub has not said what time it is. Undefined: they agree. The hub's time is known as at least `nowMs`, and at
 * most `errorMs` more.
 */
export type ClockSkew = number | 'Unknown' | undefined

export function clockSkewOf(
  hub: { readonly nowMs: number; readonly errorMs: number } | undefined,
  ownMs: number,
): ClockSkew {
  if (!hub) return 'Unknown'
  const aheadMs = ownMs - (hub.nowMs + hub.errorMs / 2)
  return Math.abs(aheadMs) > MOST_SKEW_MS ? aheadMs : undefined
}

/** So that a status is not written anew for each answer that makes the hub's time a little better known. */
const STEP_MS = 5000

/** Facts of the reason ClockSkew. */
export function clockSkewFacts(skew: number | 'Unknown') {
  const limit = `${MOST_SKEW_MS / 1000}s`
  if (skew === 'Unknown') return { skew, limit } as const
  const by = shortDuration(Math.round(Math.abs(skew) / STEP_MS) * STEP_MS)
  return { skew: skew > 0 ? 'Ahead' : 'Behind', by, limit } as const
}
