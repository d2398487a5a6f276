/** Where requests go. */
export type RequestScope = 'hub' | 'cluster'

/** `Opening`: the server has not answered yet. */
type WatchState = 'Opening' | 'Open'

/** Present watches. */
export class WatchCount {
  private readonly counts = {
    hub: { Opening: 0, Open: 0 },
    cluster: { Opening: 0, Open: 0 },
  } satisfies Record<RequestScope, Record<WatchState, number>>

  add(scope: RequestScope, state: WatchState, by: 1 | -1): void {
    this.counts[scope][state] += by
  }

  *all(): Iterable<{ readonly scope: RequestScope; readonly state: WatchState; readonly value: number }> {
    for (const scope of ['hub', 'cluster'] as const)
      for (const state of ['Opening', 'Open'] as const)
        yield { scope, state, value: this.counts[scope][state] }
  }
}
