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

/** Makes blocked decisions again, on caches alone, and queues the requests that decide otherwise by now. */
export function startSafetyNet(d: SafetyNetDeps): Cancel {
  let cancel: Cancel = () => {}
  const next = (): void => {
    cancel = d.env.clock.at(d.env.clock.steady() + SAFETY_NET_MS, () => {
      const blocked = d.reads.decisions.filter((x) => x.isBlocked)
      for (const decision of missedDecisions(d.queue, blocked)) report(d, decision)
      next()
    })
  }
  next()
  return () => cancel()
}

/** Decisions that are others now, although nothing has queued their requests. */
const missedDecisions = (
  queue: Pick<SafetyNetDeps['queue'], 'has'>,
  decisions: readonly RequestDecision[],
): readonly RequestDecision[] => decisions.filter((d) => !queue.has(d.request) && outcomeNow(d) !== d.outcome)

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
  env.meters.count('lockstep_missed_wakeups_total', { controller })
  const after = outcomeNow(decision)
  env.log.error('no change queued this request, and its decision changed; please report it', {
    controller,
    key,
    before: outcome,
    after,
  })
  queue.add(request, 'gate')
}
