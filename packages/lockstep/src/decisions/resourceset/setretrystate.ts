/** When what failed of a ClusterResourceSet is tried again. */

/** Seconds, as an operator takes to make its definitions; Cluster API is at a quarter of an hour by then. */
const LADDER_MS = [1000, 2000, 4000, 8000, 15_000]
const STEADY_MS = 15_000
const PATIENT_MS = 600_000
/** Longer nobody waits for a try. */
export const SLOWEST_MS = 60_000

export interface SetRetryState {
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
export function retryAtMs({ failures, failedMs, changedMs }: SetRetryState, intervalMs: number): number {
  const isPatient = failures > LADDER_MS.length && failedMs - changedMs >= PATIENT_MS
  return failedMs + (isPatient ? Math.min(intervalMs, SLOWEST_MS) : (LADDER_MS[failures - 1] ?? STEADY_MS))
}
