/** Results of a reconcile. */
import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { ReconcileResult } from '@lockstep/kube/workqueue'

export type { ReconcileResult }

export const done: ReconcileResult = { ok: true }

/** At least a millisecond, so that other requests come first. */
export const requeueAfter = (ms: number): ReconcileResult => ({ ok: true, requeueAfterMs: Math.max(1, ms) })

/**
 * Another writer was faster. The event of its write requeues the request at once; the time counts only where that event is
 * late, since a write before it would fail too.
 */
export const conflict: ReconcileResult = { ok: true, requeueAfterMs: 50, isOvertaken: true }

/** A server that is back is tried within half a minute, jitter included. */
export const MOST_SERVER_MS = 25_000

const IS_OVERTAKEN: ReadonlySet<RequestError['kind']> = new Set(['FenceLost', 'AlreadyExists'])

/** Comes back at once where only the race was lost, and with growing patience after everything else. */
export function failed(error: RequestError, what = 'hub write'): ReconcileResult {
  const failure = `${what} failed: ${requestErrorText(error)}`
  return IS_OVERTAKEN.has(error.kind)
    ? { ...conflict, failure }
    : { ok: false, failure, maxBackoffMs: MOST_SERVER_MS }
}

/**
 * The earliest of several results, or times in milliseconds. A failure counts before all others: its back-off sets the time.
 */
export function soonest(...all: readonly (ReconcileResult | number | undefined)[]): ReconcileResult {
  const results = all.map((r) => (typeof r === 'number' ? requeueAfter(r) : (r ?? done)))
  const lost = results.find((r) => !r.ok)
  if (lost) return lost
  const times = results.flatMap((r) => r.requeueAfterMs ?? [])
  const rests = results.flatMap((r) => r.restMs ?? [])
  const overtaken = results.find((r) => r.isOvertaken)
  return {
    ...(times.length === 0 ? done : requeueAfter(Math.min(...times))),
    ...(rests.length === 0 ? {} : { restMs: Math.max(...rests) }),
    ...(overtaken ? { isOvertaken: true } : {}),
    ...(overtaken?.failure === undefined ? {} : { failure: overtaken.failure }),
  }
}
