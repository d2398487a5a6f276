/** Failures of a run, as upstream joins them and decides what comes next. */

/** `utilerrors.Aggregate`: each message once. */
export function aggregateError(messages: readonly string[]): string {
  const unique = [...new Set(messages)]
  return unique.length === 1 ? unique[0]! : `[${unique.join(', ')}]`
}

/** There is no connection to a workload cluster now (`ErrClusterNotConnected`). */
export class NotConnected extends Error {
  constructor() {
    super('error getting client: connection to the workload cluster is down')
  }
}

/** What went wrong with one cluster: causes, so that a lone conflict can be told from others. */
export class ClusterFailed extends Error {
  readonly causes: readonly unknown[]
  constructor(causes: readonly unknown[]) {
    super(aggregateError(causes.map((c) => (c instanceof Error ? c.message : String(c)))))
    this.causes = causes
  }
}

/** Go's runtime gives up: `nil` was called. */
export class Panic extends Error {}
