/**
 * How much time has truly passed between two looks: at least. Our monotonic clock may run too fast, and the server's may be
 * set; neither is believed beyond what the other one bears out (ADR 0044).
 */

/** A monotonic clock that is out of order is off by no more than this share of what it counts. */
export const MOST_DRIFT = 1 / 10

/** What is known of the server's time: it is no less than `nowMs`, and no more than `errorMs` later. */
export interface BoundedTime {
  readonly nowMs: number
  readonly errorMs: number
  /** Another number: what was known before says nothing about what is known now. */
  readonly epoch: number
}

/** One instant, as far as anybody knows it; all in milliseconds. */
export interface ObservedTime {
  readonly steadyMs: number
  /** Undefined: the server does not say. */
  readonly server: BoundedTime | undefined
}

/**
 * Milliseconds to be added to what is counted since `before`; what begins to count has to begin at minus `lateMsOf` of its
 * first instant: the two together are never more than what has truly passed. Less than nothing where evidence broke off.
 */
export function elapsedTimeMs(before: ObservedTime | undefined, now: ObservedTime): number {
  if (!before) return 0
  const own = Math.max(0, now.steadyMs - before.steadyMs)
  const [was, is] = [before.server, now.server]
  if (was && is && was.epoch === is.epoch) return Math.min(own, Math.max(0, is.nowMs - was.nowMs))
  // Somebody has set a clock, or nobody says anything: as if ours were as fast as it may be.
  return own / (1 + MOST_DRIFT) - lateMsOf(now)
}

/**
 * Whether what was counted is as long as is asked for. Where nothing has to last the count says nothing: it begins below
 * nothing, and nobody looks again when it is over.
 */
export const hasLasted = (countedMs: number, askedMs: number): boolean =>
  askedMs === 0 || countedMs >= askedMs

/** By so much, in milliseconds, what is seen now may be earlier than it is. */
export const lateMsOf = ({ server }: ObservedTime): number => server?.errorMs ?? 0
