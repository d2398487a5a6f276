/**
 * Finds decisions that no change has queued: a read was not noted, or a change was not dispatched. None is known. With the net
 * nothing waits for ever because of an unknown one.
 */
import type { Cancel, Env } from '@lockstep/kube/env'
import type { ReadIndex, RequestDecision } from './readindex.ts'
import type { Request, RequestQueue } from './requestkeys.ts'

/** Milliseconds between two checks of one decision. */
export const SAFETY_NET_MS = 60_000

interface SafetyNetDeps {
  readonly env: Pick<Env, 'clock' | 'log' | 'meters'>
  readonly queue: RequestQueue & { has(request: Request): boolean }
  readonly reads: ReadIndex
}

/** Milliseconds between two decisions: a large fleet is not checked in one tick. */
const SPACING_MS = 10

/** Makes blocked decisions again, on caches alone, and queues the requests that decide otherwise by now. */
export function startSafetyNet(d: SafetyNetDeps): Cancel {
  let cancel: Cancel = () => {}
  const after = (ms: number, next: () => void): void => {
    cancel = d.env.clock.at(d.env.clock.steady() + ms, next)
  }
  const check = ([first, ...rest]: readonly RequestDecision[]): void => {
    if (rest.length > 0) after(SPACING_MS, () => check(rest))
    else after(SAFETY_NET_MS, () => check(d.reads.blockedDecisions))
    if (first && isMissed(d, first)) report(d, first)
  }
  after(SAFETY_NET_MS, () => check(d.reads.blockedDecisions))
  return () => cancel()
}

/** The outcome is another one now, although nothing has queued the request. */
const isMissed = ({ queue, reads }: SafetyNetDeps, d: RequestDecision): boolean =>
  !queue.has(d.request) && reads.isLatest(d) && outcomeNow(d) !== d.outcome

/** A decision that fails is another one: its request fails, with the error in the log. */
export function outcomeNow({ again }: RequestDecision): string {
  try {
    return again()
  } catch (e: unknown) {
    return `failed: ${e}`
  }
}

function report({ env, queue }: SafetyNetDeps, decision: RequestDecision): void {
  const { request, outcome } = decision
  const { controller, id: key } = request
  env.meters.count('lockstep_invariant_violations_total', { invariant: 'MissedWakeup', controller })
  const after = outcomeNow(decision)
  env.log.error('no change queued this request, and its decision changed; please report it', {
    controller,
    key,
    before: outcome,
    after,
  })
  queue.add(request, 'gate')
}
