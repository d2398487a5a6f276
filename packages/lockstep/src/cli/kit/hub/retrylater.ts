import {
  type Clock,
  type Connection,
  type NetFailure,
  type NetResponse,
  REQUEST_TIMEOUT_MS,
  type Result,
  sleep,
} from '@lockstep/kube/env'

/** Answers of a server that is full or starts a storage: nothing was executed. */
const LATER: ReadonlySet<number> = new Set([429, 503])
/** Bytes of an unread answer. */
const MAX_BODY = 64 * 1024

/**
 * Sends what a server asks to send later once more, within the time of the request (client-go `rest.WithRetry`). For people: a
 * kind is served a moment after its definition was applied.
 */
export const retryLater = (clock: Clock, connection: Connection): Connection => ({
  async request(r) {
    const last = clock.steady() + (r.timeoutMs ?? REQUEST_TIMEOUT_MS)
    for (;;) {
      const answer = await connection.request({ ...r, timeoutMs: last - clock.steady() })
      const waitMs = retryAfterMs(answer)
      if (!answer.ok || waitMs === undefined || clock.steady() + waitMs >= last) return answer
      // An unread body occupies its connection.
      await answer.value.text(MAX_BODY)
      await sleep(clock, waitMs, r.signal)
      if (r.signal?.aborted) return { ok: false, error: { phase: 'aborted', detail: 'aborted' } }
    }
  },
  close: (when) => connection.close(when),
})

function retryAfterMs(answer: Result<NetResponse, NetFailure>): number | undefined {
  if (!answer.ok || !LATER.has(answer.value.status)) return undefined
  const seconds = Number(answer.value.headers['retry-after'])
  return Number.isInteger(seconds) && seconds > 0 ? seconds * 1000 : undefined
}
