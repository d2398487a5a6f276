/** What becomes of a look at something when one of its writes has failed. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import type { ReconcileResult } from '@lockstep/kube/workqueue'

/**
 * Somebody was faster: what there is now comes as an event, which brings us back at once, or has come while the write was on
 * its way. Only where the event is late this time counts; before it the next write would be lost, too.
 */
export const CONFLICT: ReconcileResult = { ok: true, requeueAfterMs: 50, isOvertaken: true }
const IS_OVERTAKEN: ReadonlySet<RequestError['kind']> = new Set(['FenceLost', 'AlreadyExists'])

/** Looks again at once where only the race was lost, and with growing patience after everything else. */
export const afterFailure = ({ kind }: RequestError): ReconcileResult =>
  IS_OVERTAKEN.has(kind) ? CONFLICT : { ok: false }

export function failedWrite(
  c: { readonly env: Env },
  error: RequestError,
  what = 'hub write',
): ReconcileResult {
  c.env.log.debug(`${what} failed`, { error: requestErrorText(error) })
  return afterFailure(error)
}
