import type { Env } from '@lockstep/kube/env'
import type { ReconcileResult, WorkQueue } from '@lockstep/kube/workqueue'
import type { Controller } from './controller.ts'
import type { ReadIndex } from './readindex.ts'
import { keyId, type Request } from './requestkeys.ts'

/** Takes requests until the queue is closed. */
export async function work(
  env: Env,
  queue: WorkQueue<Request>,
  controllers: ReadonlyMap<string, Pick<Controller, 'reconcile'>>,
  readIndex: ReadIndex,
): Promise<void> {
  for (;;) {
    const request = await queue.take()
    if (!request) return
    const controller = controllers.get(request.controller)
    if (!controller) throw new Error(`no controller ${request.controller}`)
    const { outcome, result } = await handle(env, controller, request, readIndex)
    env.meters.count('lockstep_reconcile_total', { controller: request.controller, result })
    queue.done(request, outcome)
  }
}

async function handle(
  env: Env,
  controller: Pick<Controller, 'reconcile'>,
  request: Request,
  readIndex: ReadIndex,
): Promise<{ readonly outcome: ReconcileResult; readonly result: string }> {
  const about = { controller: request.controller, key: keyId(request.key) }
  try {
    const reads = readIndex.begin(request)
    const outcome = await controller.reconcile(request.key, reads)
    // After a failure or a conflict it comes again: until then reads of earlier reconciles count, too.
    if (outcome.ok && outcome.isOvertaken !== true) reads.end()
    const result = !outcome.ok ? 'error' : outcome.requeueAfterMs === undefined ? 'done' : 'requeued'
    if (outcome.failure !== undefined)
      env.log.debug('reconcile failed', {
        controller: about.controller,
        key: about.key,
        error: outcome.failure,
      })
    return { outcome, result }
  } catch (e: unknown) {
    // A bug in one request must not take the others with it.
    env.log.error('reconcile failed by a bug', {
      controller: about.controller,
      key: about.key,
      error: String((e as Error).stack ?? e),
    })
    return { outcome: { ok: false }, result: 'bug' }
  }
}
