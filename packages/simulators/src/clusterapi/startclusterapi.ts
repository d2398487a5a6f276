/**
 * Cluster API's controllers of ClusterResourceSets and their bindings, simulated: request for request as the releases in `RELEASES`
 * make them, with their defects. It talks to API servers as any client does, so a network that fails fails for it too.
 */
import { type Env, sleep } from '@lockstep/kube/env'
import { type KubeObject, matchesSelector } from '@lockstep/kube/object'
import { type After, FluxQueue } from '../flux/fluxqueue.ts'
import { Panic } from './aggregateerror.ts'
import { runBindingReconcile } from './bindingreconcile.ts'
import type { ClusterApiContext } from './clusterapicontext.ts'
import {
  backoffMs,
  type ClusterApiOptions,
  type ClusterApiVersion,
  UPSTREAM_BEHAVIORS,
} from './clusterapioptions.ts'
import { openConnections } from './connections.ts'
import { lead } from './lease.ts'
import { isEmpty, reconcileSet, selectorProblem } from './reconcileset.ts'
import {
  clustersPath,
  corePath,
  isPaused,
  keyOf,
  ownersOf,
  pathOf,
  setSpec,
  WATCH_FILTER,
} from './setspec.ts'
import { ClientRateLimit, type Process, UpstreamClient, type UpstreamRequest } from './upstreamclient.ts'
import { UpstreamInformer } from './upstreaminformer.ts'

/** A running manager. Another start is another process. */
export interface ClusterApi {
  readonly version: ClusterApiVersion
  /** SIGTERM: no new run begins; resolved when those under way have ended. The Lease stays until it expires. */
  stop(): Promise<void>
  /** SIGKILL: not one more request, and what is held or in flight has no consequences in the process. */
  kill(): void
  /** It leads, its caches are full, and nothing runs or is about to, retries aside. */
  isIdle(): boolean
  /** What its runs have asked for; caches, Lease, discovery and probes aside. */
  requests(): readonly UpstreamRequest[]
}

const SYNC_MS = 10 * 60_000

/** Starts it. Its definitions must be there, and a namespace for its Lease. */
export function startClusterApi(env: Env, options: ClusterApiOptions): ClusterApi {
  return new ClusterApiManager(env, options)
}

class ClusterApiManager implements ClusterApi {
  readonly version: ClusterApiVersion
  private readonly life: Process
  private isDead = false
  private readonly o: ClusterApiOptions
  private readonly queues: FluxQueue[] = []
  private readonly running = new Set<Promise<unknown>>()
  private isStopping = false
  private isWorking = false

  constructor(env: Env, o: ClusterApiOptions) {
    this.o = o
    this.version = o.version
    this.life = {
      env,
      requests: [],
      requestMs: o.requestMs ?? 2,
      hold: (r) => o.hold?.(r),
      isDead: () => this.isDead,
      open: [],
    }
    const client = new UpstreamClient(
      this.life,
      '',
      o.hub(),
      new ClientRateLimit(env, UPSTREAM_BEHAVIORS[o.version].hubRate),
    )
    const identity = `${o.name}_${env.random.fork(`clusterapi/${o.name}`).uuid()}`
    void lead(client, identity, () => void this.work(client)).then(() => this.kill())
  }

  requests(): readonly UpstreamRequest[] {
    return this.life.requests
  }

  isIdle(): boolean {
    return this.isWorking && this.queues.every((q) => q.isIdle())
  }

  kill(): void {
    this.isDead = true
    for (const connection of this.life.open) void connection.close()
    for (const q of this.queues) q.stop()
  }

  async stop(): Promise<void> {
    this.isStopping = true
    for (const q of this.queues) q.stop()
    while (this.running.size > 0) await Promise.all(this.running)
    this.kill()
  }

  private async work(client: UpstreamClient): Promise<void> {
    const { o } = this
    const ways = UPSTREAM_BEHAVIORS[o.version]
    const namespace = o.namespace ?? ''
    const open = (path: string, what: Parameters<NonNullable<typeof o.lagMs>>[0], fields?: 'metadata') =>
      new UpstreamInformer(client, { path, lagMs: () => o.lagMs?.(what) ?? 0, ...(fields ? { fields } : {}) })
    const sets = open(pathOf(ways, 'clusterresourcesets', namespace), 'clusterresourcesets')
    const bindings = open(pathOf(ways, 'clusterresourcesetbindings', namespace), 'clusterresourcesetbindings')
    const clusters = open(clustersPath(ways, namespace), 'clusters')
    const configMaps = open(corePath('configmaps', namespace), 'sources', 'metadata')
    const secrets = open(corePath('secrets', namespace), 'sources', 'metadata')
    const all = [sets, bindings, clusters, configMaps, secrets]
    await Promise.all(all.map((i) => i.synced))
    if (this.isDead || this.isStopping) return
    const connections = openConnections(this.life, ways, o, (cluster) => mapCluster(x, cluster, add))
    const x: ClusterApiContext = { client, ways, options: o, sets, clusters, bindings, connections }
    const setRuns = this.queue((ns, name) => reconcileSet(x, ns, name), ways.gapMs)
    const bindingRuns = this.queue((ns, name) => runBindingReconcile(x, ns, name), ways.gapMs)
    const add = (key: string): void => setRuns.add(key)
    const isHeard = (event: KubeObject, pauses = !ways.acknowledgesPause): boolean =>
      (o.watchFilter === undefined || event.metadata.labels?.[WATCH_FILTER] === o.watchFilter) &&
      !(pauses && isPaused(event))
    // An older version looks whether the object of the event is paused, whoever that is: a set goes on for others' events.
    sets.subscribe((old, next) => isHeard((next ?? old)!) && add(keyOf((next ?? old)!)))
    clusters.subscribe((old, next) => {
      const cluster = (next ?? old)!
      connections.see(cluster, !next)
      if (isHeard(cluster)) mapCluster(x, cluster, add)
      if (isHeard(cluster, true)) bindingRuns.add(keyOf(cluster))
    })
    bindings.subscribe((old, next) => isHeard((next ?? old)!, true) && bindingRuns.add(keyOf((next ?? old)!)))
    configMaps.subscribe((_, next) => next && isHeard(next) && mapSource(x, 'ConfigMap', next, add))
    // A raw source: neither pause nor filter.
    secrets.subscribe((_, next) => next && mapSource(x, 'Secret', next, add))
    this.resync(() => {
      for (const set of sets.list()) if (isHeard(set)) add(keyOf(set))
    })
    this.isWorking = true
  }

  private queue(run: (namespace: string, name: string) => Promise<After>, gapMs: number): FluxQueue {
    const ways = UPSTREAM_BEHAVIORS[this.version]
    const queue = new FluxQueue({
      clock: this.life.env.clock,
      workers: this.o.concurrent ?? 10,
      noticeMs: 1,
      gapMs,
      backoffMs: (n) => backoffMs(ways, n),
      run: (key) => {
        const slash = key.indexOf('/')
        const running = this.guarded(run(key.slice(0, slash), key.slice(slash + 1)))
        this.running.add(running)
        void running.then(() => this.running.delete(running))
        return running
      },
    })
    this.queues.push(queue)
    return queue
  }

  /** A panic is a failed run, or in older versions the end of the process. */
  private async guarded(run: Promise<After>): Promise<After> {
    try {
      return await run
    } catch (e) {
      if (!(e instanceof Panic)) throw e
      if (UPSTREAM_BEHAVIORS[this.version].unknownStrategy === 'crash') this.kill()
      return 'backoff'
    }
  }

  /** `--sync-period`, a tenth more or less. */
  private resync(run: () => void): void {
    const { clock, random } = this.life.env
    const ms = SYNC_MS * (0.9 + random.fork(`clusterapi/${this.o.name}/sync`).next() * 0.2)
    void (async () => {
      for (;;) {
        await sleep(clock, ms)
        if (this.isDead || this.isStopping) return
        run()
      }
    })()
  }
}

/** `clusterToClusterResourceSet`: one set with an empty or broken selector is the end of it for all. */
function mapCluster(x: ClusterApiContext, cluster: KubeObject, add: (key: string) => void): void {
  const found: string[] = []
  for (const set of x.sets.list(cluster.metadata.namespace ?? '')) {
    const { clusterSelector } = setSpec(set)
    if (selectorProblem(clusterSelector) !== undefined || isEmpty(clusterSelector)) return
    if (matchesSelector(clusterSelector ?? {}, cluster.metadata.labels)) found.push(keyOf(set))
  }
  for (const key of found) add(key)
}

/** `resourceToClusterResourceSetFunc`: its owners, else the sets that name it. */
function mapSource(x: ClusterApiContext, kind: string, source: KubeObject, add: (key: string) => void): void {
  const namespace = source.metadata.namespace ?? ''
  const owners = ownersOf(source).filter((o) => o.kind === 'ClusterResourceSet')
  for (const { name } of owners) add(`${namespace}/${String(name)}`)
  if (owners.length > 0) return
  for (const set of x.sets.list(namespace))
    if ((setSpec(set).resources ?? []).some((r) => r.kind === kind && r.name === source.metadata.name))
      add(keyOf(set))
}
