/** Kinds that a cluster does not let us watch are listed from time to time; where that comes late, nobody knows of drift there. Pure. */

/** A kind and how long ago it was listed, milliseconds. */
export interface RelistedKind {
  readonly kind: string
  readonly agoMs: number
}

/** After so many intervals a list is late: one is a matter of turns. */
const LATE = 2
const MINUTE_MS = 60_000

/** Which kinds were not looked at in time, and the shortest interval for which there is time; undefined: all were. */
export function relistDelayText(
  listed: readonly RelistedKind[],
  everyMs: number,
  every: string,
): string | undefined {
  const late = listed.filter(({ agoMs }) => agoMs > LATE * everyMs)
  if (late.length === 0) return undefined
  const most = Math.max(...late.map(({ agoMs }) => agoMs))
  // In whole intervals, so that it is not said anew with each look.
  const fitsMs = (Math.floor(most / everyMs) + 1) * everyMs
  const kinds = late.map(({ kind }) => kind).sort()
  return `${kinds.join(', ')}: may not be watched, and not listed for more than ${LATE} intervals of ${every}; there is time for one of ${Math.ceil(fitsMs / MINUTE_MS)}m`
}
