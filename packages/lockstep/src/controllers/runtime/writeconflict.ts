/** What becomes of a look at something when one of its writes has failed. */
import type { Env } from '../../../../kube/src/env/env.ts'
import { type KubeError, kubeErrorText } from '../../../../kube/src/client/requesterror.ts'
import type { Outcome } from '../../../../kube/src/workqueue/workqueue.ts'

/**
 * Somebody was faster: what there is now comes as an event, which brings us back at once, or has come while the write was on
 * its way. Only where the event is late this time counts; before it the next write would be lost, too.
 */
export const CONFLICT: Outcome = { ok: true, afterMs: 50, isOvertaken: true }
const IS_OVERTAKEN: ReadonlySet<KubeError['kind']> = new Set(['FenceLost', 'AlreadyExists'])

/** Looks again at once where only the race was lost, and with growing patience after everything else. */
export const afterFailure = ({ kind }: KubeError): Outcome =>
  IS_OVERTAKEN.has(kind) ? CONFLICT : { ok: false }

export function failedWrite(c: { readonly env: Env }, error: KubeError, what = 'hub write'): Outcome {
  c.env.log.debug(`${what} failed`, { error: kubeErrorText(error) })
  return afterFailure(error)
}
