/** A stage in virtual time: embedded API servers and the simulated upstream. */

import { type ApiServer, createApiServer } from '../../../apiserver/src/server/index.ts'
import type { Connection, Handler } from '../../../kube/src/env/net.ts'
import { createSimEnv, type SimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { encodeJson, type JsonObject, parseJson } from '../../../kube/src/object/index.ts'
import { type ClusterApiOptions, type ClusterApiVersion, UPSTREAM_BEHAVIORS } from './clusterapioptions.ts'
import { clusterApiDefinitions } from './definitions.cases.ts'
import { LEASE_NAMESPACE } from './lease.ts'
import { type HeardWrite, kubeconfigSecret, type Stage, type Upstream } from './stage.cases.ts'
import { type ClusterApi, startClusterApi } from './startclusterapi.ts'
import type { UpstreamRequest } from './upstreamclient.ts'

export interface SimStage extends Stage {
  readonly env: SimEnv
  readonly hub: ApiServer
  readonly clusters: ReadonlyMap<string, ApiServer>
}

const NAMESPACE = 'default'

export async function simStage(
  version: ClusterApiVersion,
  names: readonly string[],
  { checked = true, ...options }: Partial<ClusterApiOptions> & { readonly checked?: boolean } = {},
): Promise<SimStage> {
  const env = createSimEnv(`clusterapi/${version}`)
  const hub = createApiServer(env, { name: 'hub' })
  const clusters = new Map(names.map((name) => [name, createApiServer(env, { name })]))
  for (const o of clusterApiDefinitions(version, checked)) hub.local.create(o, 'test')
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LEASE_NAMESPACE } }
  hub.local.create(namespace, 'test')
  for (const c of clusters.values()) c.local.create(kubernetesService(), 'kube-apiserver')
  await env.clock.run(() => false, 1000)
  const writes: HeardWrite[] = []
  env.net.serve(urlOf(''), heard('', hub.handle, writes))
  for (const [name, c] of clusters) {
    env.net.serve(urlOf(name), heard(name, c.handle, writes))
    hub.local.create(kubeconfigSecret(NAMESPACE, name, urlOf(name)), 'test')
  }
  const connections = new Map(['', ...names].map((n) => [n, env.net.connect({ url: urlOf(n) }, 'operator')]))
  const upstream = simUpstream(env, {
    version,
    name: 'capi-controller-manager',
    hub: () => env.net.connect({ url: urlOf('') }, 'operator'),
    cluster: (_, name) =>
      clusters.has(name) ? env.net.connect({ url: urlOf(name) }, 'operator') : undefined,
    ...options,
  })
  const stage: SimStage = {
    env,
    hub,
    clusters,
    upstream,
    endpoint: (cluster) => ({ url: urlOf(cluster) }),
    writes: () => writes,
    apiVersion: UPSTREAM_BEHAVIORS[version].apiVersion,
    namespace: NAMESPACE,
    send: (cluster, method, path, body, type) => send(connections.get(cluster)!, method, path, body, type),
    // Once it is idle a second is enough for what a version puts off, and for what that brings about.
    settle: () => settled(env, upstream),
    wait: (ms) => pass(env, ms),
    close: () => upstream.kill(),
  }
  return stage
}

/** Where `env.net` has its server; `env.net.wire` and `unserve` make it a bad one. */
export const urlOf = (cluster: string): string => `https://${cluster === '' ? 'hub' : cluster}.test`

/** The server, and a record of what it is asked to change. */
function heard(cluster: string, handle: Handler, writes: HeardWrite[]): Handler {
  return async (request) => {
    const { method, url: path, headers } = request
    if (method === 'GET' || path.includes('/leases')) return handle(request)
    const bytes = await request.body(8 * 1024 * 1024)
    const text = bytes.ok ? new TextDecoder().decode(bytes.value) : ''
    const agent = headers['user-agent']?.split('/')[0] ?? ''
    const body = text.startsWith('{') || text.startsWith('[') ? parseJson(text) : undefined
    writes.push({ cluster, agent, method, path, ...(body === undefined ? {} : { body }) })
    return handle({ ...request, body: async () => bytes })
  }
}

/** Every API server makes it; the embedded one, which has no addresses, does not. */
const kubernetesService = () => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
})

async function pass(env: SimEnv, ms: number): Promise<void> {
  const end = env.clock.steady() + ms
  env.clock.at(end, () => {})
  await env.clock.run(() => false, ms)
}

async function settled(env: SimEnv, upstream: Upstream): Promise<void> {
  for (let calm = 0; calm < 5; calm = upstream.isIdle() ? calm + 1 : 0) await pass(env, 500)
}

async function send(connection: Connection, method: string, path: string, body?: JsonObject, type?: string) {
  const answer = await connection.request({
    method,
    path,
    headers: { 'user-agent': 'kubectl/v1', 'content-type': type ?? 'application/json' },
    ...(body ? { body: encodeJson(body) } : {}),
  })
  if (!answer.ok) throw new Error(answer.error.detail)
  const text = await answer.value.text()
  if (!text.ok) throw new Error(text.error.detail)
  return { status: answer.value.status, body: parseJson(text.value) }
}

/** The simulated manager; each start is another process of another name. */
export function simUpstream(env: SimEnv, options: ClusterApiOptions): Upstream {
  let life: ClusterApi | undefined
  let starts = 0
  let hold: ((request: UpstreamRequest) => Promise<void> | undefined) | undefined = options.hold
  const before: UpstreamRequest[] = []
  const ended = (): void => {
    before.push(...(life?.requests() ?? []))
    life = undefined
  }
  return {
    version: options.version,
    async start() {
      const name = `${options.name}-${++starts}`
      const started = startClusterApi(env, { ...options, name, hold: (r) => hold?.(r) })
      life = started
      while (!started.isIdle()) await pass(env, 500)
    },
    async stop() {
      let isOver = false
      const over = life?.stop().then(() => {
        isOver = true
      })
      while (over && !isOver) await pass(env, 10)
      ended()
    },
    async kill() {
      life?.kill()
      ended()
    },
    isIdle: () => life?.isIdle() ?? true,
    requests: () => [...before, ...(life?.requests() ?? [])],
    hold(next) {
      hold = next
    },
  }
}
