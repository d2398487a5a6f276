/** Instants of a simulation at which nothing was written for a while. */
import type { SimFleet } from '../fleet/simfleet.ts'

/** Milliseconds: longer than statuses wait for their debounce, and than a program that died stays away. */
export const REST_MS = 25_000
const TICK_MS = 5000
/** No decision reads these; a leader writes its Lease every few seconds. */
const UNREAD: ReadonlySet<string> = new Set(['leases.coordination.k8s.io', 'events.events.k8s.io'])

/** I35 at each rest of a run: people, windows and soaks leave waits that no end of a run has. Call it before anything happens. */
export function judgeEachRest({ env: { clock }, commits, oracles }: SimFleet): void {
  let known = 0
  let changedAt = 0
  let isJudged = false
  const look = (): void => {
    const isChanged = commits.slice(known).some((c) => !UNREAD.has(c.resource))
    known = commits.length
    if (isChanged) {
      changedAt = clock.steady()
      isJudged = false
    } else if (!isJudged && clock.steady() - changedAt >= REST_MS) {
      isJudged = true
      oracles.references()
    }
    clock.at(clock.steady() + TICK_MS, look)
  }
  look()
}
