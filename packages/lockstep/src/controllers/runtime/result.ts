/** What becomes of a request that was reconciled. */
import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { ReconcileResult } from '@lockstep/kube/workqueue'

export const done: ReconcileResult = { ok: true }

/** At least a millisecond: whoever comes back at once comes back after the others. */
export const requeueAfter = (ms: number): ReconcileResult => ({ ok: true, requeueAfterMs: Math.max(1, ms) })

/**
 * Somebody was faster: what there is now comes as an event, which brings us back at once, or has come while the write was on
 * its way. Only where the event is late this time counts; before it the next write would be lost, too.
 */
export const conflict: ReconcileResult = { ok: true, requeueAfterMs: 50, isOvertaken: true }

const IS_OVERTAKEN: ReadonlySet<RequestError['kind']> = new Set(['FenceLost', 'AlreadyExists'])

/** Comes back at once where only the race was lost, and with growing patience after everything else. */
export function failed(error: RequestError, what = 'hub write'): ReconcileResult {
  const failure = `${what} failed: ${requestErrorText(error)}`
  return IS_OVERTAKEN.has(error.kind) ? { ...conflict, failure } : { ok: false, failure }
}

/**
 * Of several results, or times in milliseconds, the one that comes first. One that has failed counts before all others: it
 * comes back at its own pace.
 */
export function soonest(...all: readonly (ReconcileResult | number | undefined)[]): ReconcileResult {
  const results = all.map((r) => (typeof r === 'number' ? requeueAfter(r) : (r ?? done)))
  const lost = results.find((r) => !r.ok)
  if (lost) return lost
  const times = results.flatMap((r) => r.requeueAfterMs ?? [])
  if (times.length === 0) return done
  const next = requeueAfter(Math.min(...times))
  const overtaken = results.find((r) => r.isOvertaken)
  if (!overtaken) return next
  const { failure } = overtaken
  return { ...next, isOvertaken: true, ...(failure === undefined ? {} : { failure }) }
}
