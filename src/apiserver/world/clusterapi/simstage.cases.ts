/** A stage in virtual time: embedded API servers and the simulated upstream. */
import { connectInProcess } from '../../../env/inprocess.ts'
import type { Connection } from '../../../env/net.ts'
import { createSimEnv, type SimEnv } from '../../../env/sim/sim.ts'
import { encodeJson, type JsonObject, parseJson } from '../../../object/object.ts'
import { type ApiServer, createApiServer } from '../../apiserver.ts'
import type { UpstreamRequest } from './client.ts'
import { type ClusterApi, startClusterApi } from './clusterapi.ts'
import { clusterApiDefinitions } from './definitions.cases.ts'
import { LEASE_NAMESPACE } from './lease.ts'
import { type ClusterApiOptions, type ClusterApiVersion, WAYS } from './options.ts'
import type { Stage, Upstream } from './stage.cases.ts'

export interface SimStage extends Stage {
  readonly env: SimEnv
  readonly hub: ApiServer
  readonly clusters: ReadonlyMap<string, ApiServer>
  /** Whether the way to a cluster is open. */
  readonly unreachable: Set<string>
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
  const unreachable = new Set<string>()
  const way = (name: string): Connection | undefined => {
    const api = clusters.get(name)
    return api && connectInProcess(api.handle, { before: async () => down(unreachable, name) })
  }
  const connections = new Map([
    ['', connectInProcess(hub.handle)],
    ...[...clusters].map(([name, c]) => [name, connectInProcess(c.handle)] as const),
  ])
  const upstream = simUpstream(env, {
    version,
    name: 'capi-controller-manager',
    hub: () => connectInProcess(hub.handle),
    cluster: (_, name) => way(name),
    ...options,
  })
  const stage: SimStage = {
    env,
    hub,
    clusters,
    unreachable,
    upstream,
    apiVersion: WAYS[version].apiVersion,
    namespace: NAMESPACE,
    send: (cluster, method, path, body, type) => send(connections.get(cluster)!, method, path, body, type),
    // Once it is idle a second is enough for what a version puts off, and for what that brings about.
    settle: () => settled(env, upstream),
    wait: (ms) => pass(env, ms),
    close: () => upstream.kill(),
  }
  return stage
}

const down = (unreachable: ReadonlySet<string>, name: string) =>
  unreachable.has(name) ? ({ phase: 'connect', detail: 'connect ECONNREFUSED' } as const) : undefined

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
  let process: ClusterApi | undefined
  let starts = 0
  let hold: ((request: UpstreamRequest) => Promise<void> | undefined) | undefined = options.hold
  const before: UpstreamRequest[] = []
  const ended = (): void => {
    before.push(...(process?.requests() ?? []))
    process = undefined
  }
  return {
    version: options.version,
    async start() {
      const name = `${options.name}-${++starts}`
      const started = startClusterApi(env, { ...options, name, hold: (r) => hold?.(r) })
      process = started
      while (!started.isIdle()) await pass(env, 500)
    },
    async stop() {
      let isOver = false
      const over = process?.stop().then(() => {
        isOver = true
      })
      while (over && !isOver) await pass(env, 10)
      ended()
    },
    async kill() {
      process?.kill()
      ended()
    },
    isIdle: () => process?.isIdle() ?? true,
    requests: () => [...before, ...(process?.requests() ?? [])],
    hold(next) {
      hold = next
    },
  }
}
