/** A signal that fires when any of several does. `AbortSignal.any` keeps its sources alive on Node 20; this lets go by `release`. */
export function withAbort(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal
  release(): void
} {
  const controller = new AbortController()
  const fire = () => controller.abort()
  for (const s of signals) {
    if (s?.aborted) controller.abort()
    else s?.addEventListener('abort', fire, { once: true })
  }
  return {
    signal: controller.signal,
    release() {
      for (const s of signals) s?.removeEventListener('abort', fire)
    },
  }
}
