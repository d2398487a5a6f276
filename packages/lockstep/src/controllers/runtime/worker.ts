import type { Env } from '@lockstep/kube/env'
import type { ReconcileResult, Request, WorkQueue } from '@lockstep/kube/workqueue'

/** By the name that is in their items. */
export type ReconcilerMap = Readonly<Record<string, { reconcile(item: Request): Promise<ReconcileResult> }>>

/** Takes items until the queue is closed. */
export async function work(env: Env, queue: WorkQueue, controllers: ReconcilerMap): Promise<void> {
  for (;;) {
    const item = await queue.take()
    if (!item) return
    const controller = controllers[item.controller]
    if (!controller) throw new Error(`no controller ${item.controller}`)
    const { outcome, result } = await handle(env, controller, item)
    env.meters.count('lockstep_reconcile_total', { controller: item.controller, result })
    queue.done(item, outcome)
  }
}

async function handle(
  env: Env,
  controller: ReconcilerMap[string],
  item: Request,
): Promise<{ readonly outcome: ReconcileResult; readonly result: string }> {
  try {
    const outcome = await controller.reconcile(item)
    return {
      outcome,
      result: !outcome.ok ? 'error' : outcome.requeueAfterMs === undefined ? 'done' : 'requeued',
    }
  } catch (e: unknown) {
    // A bug in one item must not take the others with it.
    env.log.error('reconcile failed by a bug', {
      controller: item.controller,
      key: item.key,
      error: String((e as Error).stack ?? e),
    })
    return { outcome: { ok: false }, result: 'bug' }
  }
}
