/** Instants of a simulation at which nothing was written for a while. */
import type { SimFleet } from '../fleet/simfleet.ts'

/** Milliseconds: longer than statuses wait for their debounce, and than a program that died stays away. */
const REST_MS = 25_000
const TICK_MS = 5000
/** No decision reads these; a leader writes its Lease every few seconds. */
const UNREAD: ReadonlySet<string> = new Set(['leases.coordination.k8s.io', 'events.events.k8s.io'])

/** Tells at each call whether the fleet is at rest; the calls must be more frequent than the rests. */
export function restsOf({ env: { clock }, commits }: SimFleet): () => boolean {
  let known = 0
  let changedAt = 0
  return () => {
    if (commits.slice(known).some((c) => !UNREAD.has(c.resource))) changedAt = clock.steady()
    known = commits.length
    return clock.steady() - changedAt >= REST_MS
  }
}

/** I35 at each rest of a run: people, windows and soaks leave waits that no end of a run has. Call it before anything happens. */
export function judgeEachRest(fleet: SimFleet): void {
  const { clock } = fleet.env
  const isAtRest = restsOf(fleet)
  let wasAtRest = false
  const look = (): void => {
    const isNow = isAtRest()
    if (isNow && !wasAtRest) fleet.oracles.references()
    wasAtRest = isNow
    clock.at(clock.steady() + TICK_MS, look)
  }
  look()
}
