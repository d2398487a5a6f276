/** A stage on real servers: a hub and a workload cluster, upstream's manager between proxies that see what it asks for. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { Connection } from '../../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { at, encodeJson, type JsonObject, parseJson } from '../../packages/kube/src/object/index.ts'
import { UPSTREAM_BEHAVIORS } from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import {
  type HeardWrite,
  kubeconfigSecret,
  type Stage,
  type Upstream,
} from '../../packages/simulators/src/clusterapi/stage.cases.ts'
import type { UpstreamRequest } from '../../packages/simulators/src/clusterapi/upstreamclient.ts'
import { quiet } from '../kube/subjects.ts'
import { keepLease } from './clusterapilease.ts'
import { type ManagerFiles, type ManagerProcess, startManager } from './clusterapimanager.ts'
import { openProxy, type ProxiedRequest, type RealProxy } from './realproxy.ts'
import {
  endpointOf,
  findPrograms,
  type RealCluster,
  type RealServers,
  startRealServers,
} from './realservers.ts'

/** The servers of one version, for all its stages. */
export interface RealWorld {
  readonly upstream: Upstream
  /** A stage in a namespace of its own, with such Clusters; all of them are the one workload cluster. */
  stage(namespace: string, clusters: readonly string[]): Promise<Stage>
  close(): Promise<void>
}

/** What a manager that is about to do something lets pass without a request. */
const CALM_MS = 1500
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export async function openRealWorld(files: ManagerFiles): Promise<RealWorld> {
  const servers = await startRealServers(findPrograms()!, ['hub'], ['c1'])
  const env = createNodeEnv(quiet)
  const [hub, workload] = ['hub', 'c1'].map((n) => servers.clusters.find((c) => c.name === n)!) as [
    RealCluster,
    RealCluster,
  ]
  const connections = {
    hub: env.net.connect(endpointOf(hub), 'operator'),
    workload: env.net.connect(endpointOf(workload), 'operator'),
  }
  await install(connections.hub, files.definitions)
  const watch = new Watcher(hub)
  const upstream = await realUpstream(files, watch, connections.hub)
  const proxies: RealProxy[] = [watch.proxy]
  return {
    upstream,
    async stage(namespace, clusters) {
      await accepted(connections.hub, '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      })
      const urls = new Map([['', watch.proxy.url]])
      for (const name of clusters) {
        const proxy = await watch.workload(workload, `${namespace}/${name}`)
        proxies.push(proxy)
        urls.set(name, proxy.url)
        await accepted(
          connections.hub,
          `/api/v1/namespaces/${namespace}/secrets`,
          kubeconfigSecret(namespace, name, proxy.url) as unknown as JsonObject,
        )
      }
      return stageIn(env, files, watch, upstream, connections, namespace, urls)
    },
    close: () => close(servers, upstream, proxies, Object.values(connections)),
  }
}

async function close(
  servers: RealServers,
  upstream: Upstream,
  proxies: readonly RealProxy[],
  connections: readonly Connection[],
): Promise<void> {
  await upstream.kill()
  for (const p of proxies) await p.close()
  for (const c of connections) await c.close()
  await servers.stop()
}

/** All requests of the manager that belong to its runs for sets and bindings, in the order in which they came. */
class Watcher {
  readonly all: UpstreamRequest[] = []
  readonly writes: HeardWrite[] = []
  proxy!: RealProxy
  lastAt = 0
  hold: ((request: UpstreamRequest) => Promise<void> | undefined) | undefined
  private readonly hub: RealCluster

  constructor(hub: RealCluster) {
    this.hub = hub
  }

  async open(): Promise<void> {
    this.proxy = await this.at(this.hub, '', isOfSets)
  }

  workload(target: RealCluster, cluster: string): Promise<RealProxy> {
    return this.at(target, cluster, isOfWorkload)
  }

  private at(
    target: RealCluster,
    cluster: string,
    isOfRuns: (r: ProxiedRequest) => boolean,
  ): Promise<RealProxy> {
    return openProxy(
      target,
      async (r) => {
        const { method, path, body } = r
        const agent = r.agent.split('/')[0] ?? ''
        const seen = { cluster, method, path, ...(body === undefined ? {} : { body }) }
        const isUpstream = agent === 'manager' && isOfRuns(r)
        if (isUpstream) await this.hold?.(seen)
        if (method !== 'GET' && !path.includes('/leases')) this.writes.push({ ...seen, agent })
        if (!isUpstream) return
        this.all.push(seen)
        this.lastAt = Date.now()
      },
      (r) => {
        if (r.agent.startsWith('manager/') && isOfRuns(r)) this.lastAt = Date.now()
      },
    )
  }
}

/** Of the hub: sets, bindings, and sources that are read or written by name. */
function isOfSets({ method, path }: ProxiedRequest): boolean {
  const [, resource, name] = /\/namespaces\/[^/]+\/(\w+)(?:\/([^/?]+))?/.exec(path) ?? []
  if (resource === 'clusterresourcesets' || resource === 'clusterresourcesetbindings') return method !== 'GET'
  const isSource = resource === 'configmaps' || resource === 'secrets'
  return isSource && name !== undefined && !name.endsWith('-kubeconfig') && !name.endsWith('-ca')
}

/** Of a workload cluster: writes, and reads of what has no cache. */
const isOfWorkload = ({ method, path }: ProxiedRequest): boolean =>
  method !== 'GET' || /\/namespaces\/[^/]+\/(configmaps|secrets)\/[^/?]+$/.test(path)

async function realUpstream(files: ManagerFiles, watch: Watcher, hub: Connection): Promise<Upstream> {
  await watch.open()
  let process: ManagerProcess | undefined
  let starts = 0
  let release = (): void => {}
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    release()
    await process?.end(signal)
    process = undefined
  }
  return {
    version: files.version,
    async start() {
      const status = async (...r: readonly [string, string, JsonObject, string?]) =>
        (await send(hub, ...r)).status
      release = await keepLease(status, `capi-controller-manager-${++starts}`)
      process = await startManager(files, watch.proxy.url)
      watch.lastAt = Date.now()
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    isIdle: () => Date.now() - watch.lastAt >= CALM_MS,
    requests: () => watch.all,
    hold(hold) {
      watch.hold = hold
    },
  }
}

function stageIn(
  env: Env,
  files: ManagerFiles,
  watch: Watcher,
  upstream: Upstream,
  connections: { readonly hub: Connection; readonly workload: Connection },
  namespace: string,
  urls: ReadonlyMap<string, string>,
): Stage {
  const isHere = ({ cluster, path }: UpstreamRequest): boolean =>
    cluster === '' ? path.includes(`/namespaces/${namespace}/`) : cluster.startsWith(`${namespace}/`)
  return {
    env,
    endpoint: (cluster) => ({ url: urls.get(cluster)! }),
    writes: () => watch.writes.filter(isHere),
    upstream: { ...upstream, requests: () => watch.all.filter(isHere) },
    apiVersion: UPSTREAM_BEHAVIORS[files.version].apiVersion,
    namespace,
    send: (cluster, method, path, body, type) =>
      send(cluster === '' ? connections.hub : connections.workload, method, path, body, type),
    async settle() {
      watch.lastAt = Date.now()
      // The manager tells nobody that it has nothing to do.
      while (!upstream.isIdle()) await pause(100)
    },
    wait: (ms) => pause(ms),
    async close() {
      const sets = `/apis/addons.cluster.x-k8s.io/${UPSTREAM_BEHAVIORS[files.version].apiVersion}/namespaces/${namespace}/clusterresourcesets`
      await send(connections.hub, 'DELETE', sets)
    },
  }
}

async function send(connection: Connection, method: string, path: string, body?: JsonObject, type?: string) {
  const answer = await connection.request({
    method,
    path,
    headers: {
      'user-agent': 'kubectl/v1',
      'content-type': type ?? 'application/json',
      accept: 'application/json',
    },
    ...(body ? { body: encodeJson(body) } : {}),
  })
  if (!answer.ok) throw new Error(answer.error.detail)
  const text = await answer.value.text()
  if (!text.ok) throw new Error(text.error.detail)
  return {
    status: answer.value.status,
    body: text.value.startsWith('{') ? parseJson(text.value) : text.value,
  }
}

async function accepted(connection: Connection, path: string, body: JsonObject): Promise<void> {
  const answer = await send(connection, 'POST', path, body)
  if (answer.status >= 300) throw new Error(`POST ${path}: ${encodeJson(answer.body)}`)
}

async function install(hub: Connection, definitions: readonly JsonObject[]): Promise<void> {
  for (const body of definitions) await accepted(hub, DEFINITIONS, body)
  for (const body of definitions) {
    const [group, plural] = [at(body, 'spec', 'group'), at(body, 'spec', 'names', 'plural')]
    const versions = at(body, 'spec', 'versions') as readonly JsonObject[]
    const path = `/apis/${group}/${versions.find((v) => v.served === true)?.name}/${plural}`
    while ((await send(hub, 'GET', path)).status === 404) await pause(50)
  }
}
