/** One process of controllers: caches, queue, workers. */

import type { ImpersonatingClient } from '@lockstep/kube/client'
import { allowingHosts, type Env, type GaugeValue, supervise, supervised } from '@lockstep/kube/env'
import { WorkQueue } from '@lockstep/kube/workqueue'
import { Fleet, hubClients } from '../../fleet/clusters/index.ts'
import { noProviders } from '../../fleet/credentials/index.ts'
import type { WebhookReceiver } from '../../gitproviders/events/index.ts'
import { openAccess } from '../../gitproviders/openaccess.ts'
import { Upstreams } from '../../sources/intake/index.ts'
import { DigestKeys, type HubInformers, hasReachedQuiescence, openHub } from '../cache/index.ts'
import {
  ARGOCD_NAMESPACES,
  guardOf,
  HubCacheError,
  type ManagerOptions,
  type Request,
} from '../runtime/index.ts'
import { ClusterLog } from './clusterlog.ts'
import { EventRouter } from './eventrouter.ts'
import { managerGauges } from './managergauges.ts'
import { type Running, startControllers, WORKERS } from './startcontrollers.ts'

export interface Manager {
  /** Resolves once all caches are complete and work has begun. */
  readonly started: Promise<void>
  /** Nothing is ready or being worked on. Timers may be pending. */
  readonly idle: boolean
  readonly hub: HubInformers
  readonly fleet: Fleet
  /** Who takes events; undefined: nobody yet, or nobody any more. */
  readonly eventDesk: WebhookReceiver | undefined
  /** Gauges of the caches and of the queue, computed now. `most`: Modules or clusters that all have series of their own. */
  gauges(most: number): GaugeValue[]
  /** Milliseconds that work is due although a worker is free; undefined: it is not. */
  readonly stalledMs: number | undefined
  /** Starts nothing more; reconciles in progress continue. */
  drain(): void
  /** Records applied objects that no Inventory lists: for a process that stops, once its writes have ended. */
  record(): Promise<void>
  stop(): void
}

/** Runs the controllers against a hub until stopped. */
export function startManager(
  outside: Env,
  unguarded: ImpersonatingClient,
  options: ManagerOptions = {},
): Manager {
  const { cacheDir, sourceRoot, allowHosts = [] } = options
  const env: Env = { ...outside, net: allowingHosts(outside.net, allowHosts) }
  const guard = guardOf(env, options)
  const clients = hubClients(unguarded, guard)
  const stopping = new AbortController()
  let running: Running | undefined
  const wake = (module: string): void => running?.wake(module)
  const upstreams =
    options.sources?.(wake) ??
    new Upstreams(env, (account) => clients.inputs(account), { cacheDir, sourceRoot, allowHosts }, wake)
  const forges = options.forges ?? openAccess(env)
  const queue = new WorkQueue<Request>(env)
  const router = new EventRouter(() => fleet)
  const clusterLog = new ClusterLog(env)
  const fleet: Fleet = new Fleet(env, clients, guard, {
    cluster: (view) => {
      const isKnown = fleet.view(view.namespace, view.name) !== undefined
      clusterLog.note(view, isKnown ? fleet.knownCondition(view) : undefined)
      router.cluster(view)
    },
    object: (view, label, id) => router.object(view, label, id),
    judged: (view, label) => router.judged(view, label),
    selected: (view, id) => router.selected(view, id),
    isAtRest: (view) => hasReachedQuiescence(hub, view),
    isAwaited: (view) => router.isAwaited(view),
  })
  let begin = (): void => {}
  const synced = new Promise<void>((resolve) => {
    begin = resolve
  })
  const { providers = noProviders, argocdNamespaces = ARGOCD_NAMESPACES, clusterProxies = [] } = options
  const hubEnv = supervised(env, { failed: (error) => env.supervisor.failed(new HubCacheError(error)) })
  const hub: HubInformers = openHub(
    hubEnv,
    clients,
    { providers, namespaces: argocdNamespaces, proxies: clusterProxies },
    {
      changed: (kind, before, after) => router.changed(kind, before, after),
      clusterRecorded: (before, after) => router.clusterRecorded(before, after),
      clusterChanged: (before, after) => router.clusterChanged(before, after),
      secretChanged: (id) => router.secretChanged(id),
      readRefused: (account, right) => fleet.refuse(account, right),
      namespacesChanged: () => router.namespacesChanged(),
      synced() {
        if (!hub.synced) return
        begin()
        router.resync()
      },
    },
  )
  const start = async (): Promise<void> => {
    const deps = { env, hub, fleet, upstreams, forges, keys: new DigestKeys(env, hub) }
    const { signal } = stopping
    running = await startControllers({ deps, queue, router, manager: options, stopping: signal })
  }
  const started = synced.then(start)
  supervise(env, () => started)
  return {
    started,
    get idle() {
      return queue.idle && upstreams.idle
    },
    hub,
    fleet,
    get eventDesk() {
      return stopping.signal.aborted ? undefined : running?.eventDesk
    },
    get stalledMs() {
      return running && !hub.trusted() ? queue.stalledMs(options.workers ?? WORKERS) : undefined
    },
    gauges: (most) => managerGauges({ env, queue, hub, fleet }, most),
    drain: () => queue.close(),
    async record() {
      const { term, recordTerm = term, writes } = options
      await running?.record(guardOf(env, { term: recordTerm, writes })(unguarded))
    },
    stop() {
      stopping.abort()
      queue.close()
      hub.stop()
      fleet.stop()
      supervise(env, () => upstreams.close())
      supervise(env, () => forges.close())
    },
  }
}
