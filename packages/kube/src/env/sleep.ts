import type { Clock } from './env.ts'

/** Resolves after `ms`, or at once when the signal fires: the caller looks at the signal itself. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.at(clock.steady() + ms, done)
    signal?.addEventListener('abort', done, { once: true })
  })
}
