/** Where requests go. */
export type RequestScope = 'hub' | 'cluster'

/** `Opening`: the server has not answered yet. */
type WatchState = 'Opening' | 'Open'

/** One open watch. */
interface OpenWatch {
  readonly scope: RequestScope
  /** Steady milliseconds of its last event. */
  heardAt: number
}

/** Present watches. */
export class WatchCount {
  private readonly counts = {
    hub: { Opening: 0, Open: 0 },
    cluster: { Opening: 0, Open: 0 },
  } satisfies Record<RequestScope, Record<WatchState, number>>

  private readonly open = new Set<OpenWatch>()

  add(scope: RequestScope, state: WatchState, by: 1 | -1): void {
    this.counts[scope][state] += by
  }

  /** A watch that the server has answered; `end` when it is over. `now`: steady milliseconds. */
  opened(scope: RequestScope, now: number): { heard(now: number): void; end(): void } {
    const watch: OpenWatch = { scope, heardAt: now }
    this.open.add(watch)
    return {
      heard(at) {
        watch.heardAt = at
      },
      end: () => void this.open.delete(watch),
    }
  }

  /** Milliseconds since the last event of the watch that is silent longest; undefined: none is open. */
  silenceMs(scope: RequestScope, now: number): number | undefined {
    let longest: number | undefined
    for (const watch of this.open)
      if (watch.scope === scope) longest = Math.max(longest ?? 0, now - watch.heardAt)
    return longest
  }

  *all(): Iterable<{ readonly scope: RequestScope; readonly state: WatchState; readonly value: number }> {
    for (const scope of ['hub', 'cluster'] as const)
      for (const state of ['Opening', 'Open'] as const)
        yield { scope, state, value: this.counts[scope][state] }
  }
}
