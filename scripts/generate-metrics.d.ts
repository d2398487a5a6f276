interface DescribedMetric {
  readonly type: string
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[]
}

/** `fleet`: names of those that only the leader serves. */
export function metricsPage(
  metrics: Readonly<Record<string, DescribedMetric>>,
  fleet: readonly string[],
): string
