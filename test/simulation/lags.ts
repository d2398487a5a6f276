import type { RunResult } from './trace.ts'

/** Milliseconds within which this share of all waits went on, of runs in which nothing went wrong. */
export function slowestOf(results: readonly RunResult[], share: number): number {
  const lags = results
    .flatMap((r) => Object.entries(r.tested).flatMap(([what, ms]) => (what.startsWith('lag ') ? [ms] : [])))
    .sort((a, b) => a - b)
  return lags[Math.ceil(lags.length * share) - 1] ?? Number.POSITIVE_INFINITY
}
