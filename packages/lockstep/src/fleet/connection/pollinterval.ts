/** When what cannot be watched on a cluster is listed. Pure. */
import { sha256Hex } from '@lockstep/kube/object'

/** What is listed there, each at its own times. */
export interface PolledKind {
  readonly cluster: string
  readonly kind: string
}

/** From one check to the next it is at most this share of an interval more or less: half of it by either. */
const SPREAD = 0.1

/**
 * The next check after a moment, wall clock in milliseconds. Each pair of cluster and kind has its own phase and its own
 * jitter, both from their names and the number of the interval since the epoch: whoever is asked, a process that has just
 * started too, has the same answer, so that nothing aligns.
 */
export function nextPollIntervalMs(checked: PolledKind, intervalMs: number, afterMs: number): number {
  const phase = shareOf(checked, 'phase')
  const checkMs = (n: number): number =>
    Math.round((n + phase + (shareOf(checked, n) - 0.5) * SPREAD) * intervalMs)
  let n = Math.floor(afterMs / intervalMs - phase) - 1
  while (checkMs(n) <= afterMs) n++
  return checkMs(n)
}

/** From 0 to 1, as even as a hash is. */
const shareOf = ({ cluster, kind }: PolledKind, n: number | 'phase'): number =>
  Number.parseInt(sha256Hex(`${cluster}/${kind}/${n}`).slice(0, 12), 16) / 2 ** 48
