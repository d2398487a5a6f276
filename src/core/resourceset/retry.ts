/** When what failed is tried again, and when a cluster is checked. */
import { sha256Hex } from '../../object/object.ts'

/** Seconds, as an operator takes to make its definitions; Cluster API is at a quarter of an hour by then. */
const LADDER_MS = [1000, 2000, 4000, 8000, 15_000]
const STEADY_MS = 15_000
const PATIENT_MS = 600_000
const SLOWEST_MS = 60_000

export interface Failing {
  /** In a row, 1 at least. */
  readonly failures: number
  readonly failedMs: number
  /** When the content, a setting or the cluster was another one for the last time. */
  readonly changedMs: number
}

/**
 * At 1, 2, 4, 8 and 15 s, each 15 s for ten minutes after the last change, then each minute, or each interval where that is
 * shorter. What it waits for may end it sooner: its kind is served, its namespace is there, the cluster answers.
 */
export function retryAtMs({ failures, failedMs, changedMs }: Failing, intervalMs: number): number {
  const isPatient = failures > LADDER_MS.length && failedMs - changedMs >= PATIENT_MS
  return failedMs + (isPatient ? Math.min(intervalMs, SLOWEST_MS) : (LADDER_MS[failures - 1] ?? STEADY_MS))
}

export interface Checked {
  readonly clusterUid: string
  readonly setUid: string
}

/** From one check to the next it is at most this share of an interval more or less: half of it by either. */
const SPREAD = 0.1

/**
 * The next check after a moment. Each pair of cluster and set has its own phase and its own jitter, both from their uids and
 * the number of the interval since the epoch: whoever is asked, a process that has just started too, has the same answer,
 * so that nothing aligns.
 */
export function nextCheckMs(checked: Checked, intervalMs: number, afterMs: number): number {
  const phase = shareOf(checked, 'phase')
  const checkMs = (n: number): number =>
    Math.round((n + phase + (shareOf(checked, n) - 0.5) * SPREAD) * intervalMs)
  let n = Math.floor(afterMs / intervalMs - phase) - 1
  while (checkMs(n) <= afterMs) n++
  return checkMs(n)
}

/** From 0 to 1, as even as a hash is. */
const shareOf = ({ clusterUid, setUid }: Checked, n: number | 'phase'): number =>
  Number.parseInt(sha256Hex(`${clusterUid}/${setUid}/${n}`).slice(0, 12), 16) / 2 ** 48
