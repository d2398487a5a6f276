import type { Env } from '@lockstep/kube/env'
import type { ReconcileResult, WorkQueue } from '@lockstep/kube/workqueue'
import type { Controller } from './controller.ts'
import type { ReadIndex } from './readindex.ts'
import { keyId, type Request } from './requestkeys.ts'

/** Exceptions of one request in a row until they are reported on its object. */
const MOST_BUGS = 3
/** Milliseconds between two tries of a request that fails by a bug, at most. */
const BUG_BACKOFF_MS = 5 * 60_000

export interface WorkerDeps {
  readonly env: Env
  readonly queue: WorkQueue<Request>
  readonly controllers: ReadonlyMap<string, Pick<Controller, 'reconcile'>>
  readonly readIndex: ReadIndex
  /** Resolves once answers of the hub are trusted again; undefined: they are. */
  readonly trusted: () => Promise<void> | undefined
  /** Exceptions in a row, by request; shared by all workers. */
  readonly bugs: Map<string, number>
  /** Reports the exception of a request on its object. */
  readonly report: (request: Request, error: unknown) => Promise<void>
}

/** Takes requests until the queue is closed. */
export async function work(d: WorkerDeps): Promise<void> {
  const { env, queue, controllers } = d
  for (;;) {
    const request = await queue.take()
    if (!request) return
    const controller = controllers.get(request.controller)
    if (!controller) throw new Error(`no controller ${request.controller}`)
    const untrusted = d.trusted()
    if (untrusted) await untrusted
    const beganAt = env.clock.steady()
    const { outcome, result } = await handle(d, controller, request)
    const { controller: name } = request
    const seconds = (env.clock.steady() - beganAt) / 1000
    env.meters.count('lockstep_reconcile_total', { controller: name, result })
    env.meters.observe('lockstep_reconcile_duration_seconds', { controller: name }, seconds)
    queue.done(request, outcome)
  }
}

async function handle(
  d: WorkerDeps,
  controller: Pick<Controller, 'reconcile'>,
  request: Request,
): Promise<{ readonly outcome: ReconcileResult; readonly result: string }> {
  const { env, readIndex, bugs } = d
  const about = { controller: request.controller, key: keyId(request.key) }
  const id = `${about.controller} ${about.key}`
  try {
    const reads = readIndex.begin(request)
    const outcome = await controller.reconcile(request.key, reads)
    bugs.delete(id)
    // After a failure or a conflict it comes again: until then reads of earlier reconciles count, too.
    if (outcome.ok && outcome.isOvertaken !== true) reads.end()
    const result = !outcome.ok ? 'error' : outcome.requeueAfterMs === undefined ? 'done' : 'requeued'
    if (outcome.failure !== undefined)
      env.log.debug('reconcile failed', {
        controller: about.controller,
        key: about.key,
        err: outcome.failure,
      })
    return { outcome, result }
  } catch (e: unknown) {
    // A bug in one request must not take the others with it.
    env.log.error('reconcile failed by a bug', {
      controller: about.controller,
      key: about.key,
      err: String((e as Error).stack ?? e),
    })
    const inRow = (bugs.get(id) ?? 0) + 1
    bugs.set(id, inRow)
    if (inRow >= MOST_BUGS) await reported(d, request, e)
    return { outcome: { ok: false, maxBackoffMs: BUG_BACKOFF_MS }, result: 'bug' }
  }
}

/** A report is a courtesy: its own failure is logged only. */
async function reported({ env, report }: WorkerDeps, request: Request, error: unknown): Promise<void> {
  try {
    await report(request, error)
  } catch (e: unknown) {
    env.log.error('a bug could not be reported', { err: String((e as Error).stack ?? e) })
  }
}
