import type { Clock } from '@lockstep/kube/env'

/** Calls `fn` again and again, until it is told to stop. */
export function startInterval(clock: Clock, ms: number, fn: () => void): () => void {
  const arm = () =>
    clock.at(clock.steady() + ms, () => {
      cancel = arm()
      fn()
    })
  let cancel = arm()
  return () => cancel()
}
