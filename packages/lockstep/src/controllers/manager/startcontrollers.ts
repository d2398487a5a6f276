/** Starts the controllers of one process, once its caches are complete. */
import { supervise } from '@lockstep/kube/env'
import type { WorkQueue } from '@lockstep/kube/workqueue'
import type { RecordClient } from '../../api/records.ts'
import { refOfId } from '../../decisions/graph/index.ts'
import type { WebhookReceiver } from '../../gitproviders/events/index.ts'
import { KEY_REQUEST, moduleRequest, resyncCaches } from '../cache/index.ts'
import { credentialRequest, isRenewed } from '../credential/index.ts'
import { COLLECT_EVERY_MS, COLLECT_REQUEST } from '../gc/index.ts'
import { pipelinesOn } from '../pipeline/index.ts'
import {
  Dispatcher,
  type ManagerOptions,
  type Request,
  startSafetyNet,
  type WorkerDeps,
  work,
} from '../runtime/index.ts'
import { recordOnStop } from '../unit/index.ts'
import { openWeaveKind } from '../weave/index.ts'
import type { EventRouter } from './eventrouter.ts'
import { repeatEvents } from './repeatevents.ts'
import { reportBug } from './reportbug.ts'
import { type WiringDeps, wire } from './wire.ts'

/** Default number of workers. */
export const WORKERS = 32

export interface ControllersOptions {
  readonly deps: WiringDeps
  readonly queue: WorkQueue<Request>
  /** Tells of changes from now on. */
  readonly router: EventRouter
  readonly manager: ManagerOptions
  /** Stopped before the start: nothing begins. */
  readonly stopping: AbortSignal
}

export interface Running {
  /** Takes webhooks of Git hosts. */
  readonly eventDesk: WebhookReceiver
  /** News from outside for a module that asked, by its id. */
  wake(module: string): void
  /** Records applied objects that no Inventory lists, through a client that may still write. */
  record(client: RecordClient): Promise<void>
}

export async function startControllers(options: ControllersOptions): Promise<Running | undefined> {
  const { deps, queue, router, manager, stopping } = options
  const { env, hub, keys } = deps
  // The first key before the first digest; where that fails, the queue tries again.
  const keyed = await keys.reconcile()
  if (stopping.aborted) return undefined
  const weave = manager.weave
    ? openWeaveKind(env, hub.own, {
        changed: (before, after) => dispatcher.changed('weavePipelines', before, after),
        settled: () => dispatcher.resync('weavePipelines', weave?.all() ?? []),
      })
    : undefined
  stopping.addEventListener('abort', () => weave?.stop(), { once: true })
  const { controllers, indexes, requests, memories, status, events, eventDesk } = wire(deps, manager, queue, {
    stopping,
    weave,
  })
  const dispatcher = new Dispatcher(requests, indexes, controllers)
  const resync = (): void => {
    resyncCaches(hub, dispatcher)
    dispatcher.resync('weavePipelines', weave?.all() ?? [])
    for (const view of deps.fleet.all()) if (isRenewed(view)) requests.add(credentialRequest(view), 'resync')
  }
  const isAwaited = (view: Parameters<typeof pipelinesOn>[1]): boolean => !isEmpty(pipelinesOn({ hub }, view))
  router.connect({ dispatcher, resync, isAwaited })
  queue.addAfter(COLLECT_REQUEST, COLLECT_EVERY_MS, 'resync')
  if (!keyed.ok || keyed.requeueAfterMs !== undefined)
    queue.addAfter(KEY_REQUEST, keyed.requeueAfterMs ?? 1000)
  resync()
  repeatEvents(hub, events)
  const worker: WorkerDeps = {
    env,
    queue,
    controllers: new Map(controllers.map((c) => [c.name, c])),
    readIndex: indexes.reads,
    trusted: () => hub.trusted(),
    bugs: new Map(),
    report: (request, error) => reportBug({ env, hub, status }, request, error),
  }
  for (let i = 0; i < (manager.workers ?? WORKERS); i++) supervise(env, () => work(worker))
  const net = startSafetyNet({
    env,
    queue: { add: requests.add, has: (request) => queue.has(request) },
    reads: indexes.reads,
  })
  stopping.addEventListener('abort', net, { once: true })
  return {
    eventDesk,
    wake: (module) => requests.add(moduleRequest(refOfId(module))),
    record: (client) => recordOnStop(hub, client, memories),
  }
}

const isEmpty = (found: Iterable<unknown>): boolean => {
  for (const _ of found) return false
  return true
}
