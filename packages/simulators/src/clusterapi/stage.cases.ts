/** Where scripts are played: a hub with Cluster API, workload clusters, and an upstream, simulated or real. */
import type { Env } from '../../../kube/src/env/env.ts'
import type { Endpoint } from '../../../kube/src/env/net.ts'
import {
  bytesToBase64,
  encodeJson,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '../../../kube/src/object/index.ts'
import type { ClusterApiVersion } from './clusterapioptions.ts'
import type { UpstreamRequest } from './upstreamclient.ts'

/** Upstream's manager, simulated or real. */
export interface Upstream {
  readonly version: ClusterApiVersion
  /** A new process; resolved when it leads and its caches are full. */
  start(): Promise<void>
  /** SIGTERM. */
  stop(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Nothing runs and nothing is about to; retries with backoff may be to come. */
  isIdle(): boolean
  /** Of all processes so far, in their order; reads of caches, Lease, discovery and probes aside. */
  requests(): readonly UpstreamRequest[]
  /** From now on each request waits for what `hold` returns; undefined: nothing is held any more. */
  hold(hold: ((request: UpstreamRequest) => Promise<void> | undefined) | undefined): void
}

/** A request that would change something, as a server has heard it, whoever made it. */
export interface HeardWrite extends UpstreamRequest {
  /** The user agent up to the first slash: `manager` is upstream. */
  readonly agent: string
}

export interface Answered {
  readonly status: number
  readonly body: JsonValue
}

export interface Stage {
  readonly env: Env
  readonly upstream: Upstream
  /** Where more clients of this stage connect; `''`: the hub. Their writes are heard too. */
  endpoint(cluster: string): Endpoint
  /** All writes to the hub and to workload clusters, in their order; leader election aside. */
  writes(): readonly HeardWrite[]
  /** The API version in which this upstream has its kinds. */
  readonly apiVersion: 'v1beta1' | 'v1beta2'
  readonly namespace: string
  /** `''`: the hub; else a workload cluster. As an administrator, `kubectl` by name. */
  send(cluster: string, method: string, path: string, body?: JsonObject, type?: string): Promise<Answered>
  /** Until upstream has had its say about everything so far. */
  settle(): Promise<void>
  /** Time passes. */
  wait(ms: number): Promise<void>
  close(): Promise<void>
}

const ADDONS = 'addons.cluster.x-k8s.io'

export const setsPath = (s: Stage): string =>
  `/apis/${ADDONS}/${s.apiVersion}/namespaces/${s.namespace}/clusterresourcesets`
export const bindingsPath = (s: Stage): string =>
  `/apis/${ADDONS}/${s.apiVersion}/namespaces/${s.namespace}/clusterresourcesetbindings`
export const clustersPath = (s: Stage): string =>
  `/apis/cluster.x-k8s.io/${s.apiVersion}/namespaces/${s.namespace}/clusters`
export const corePath = (s: Stage, plural: string): string => `/api/v1/namespaces/${s.namespace}/${plural}`

/** Sends, and insists that it is accepted. */
export async function must(
  s: Stage,
  cluster: string,
  method: string,
  path: string,
  body?: JsonObject,
  type?: string,
): Promise<JsonValue> {
  const answer = await s.send(cluster, method, path, body, type)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

export const merge = (s: Stage, path: string, body: JsonObject): Promise<JsonValue> =>
  must(s, '', 'PATCH', path, body, 'application/merge-patch+json')

/** `isPending`: its infrastructure is not there; without any, the real controller calls it ready. */
export function clusterObject(s: Stage, name: string, isPending = false): KubeObject {
  const kind = { kind: 'DockerCluster', name }
  const group = 'infrastructure.cluster.x-k8s.io'
  return {
    apiVersion: `cluster.x-k8s.io/${s.apiVersion}`,
    kind: 'Cluster',
    metadata: {
      name,
      namespace: s.namespace,
      labels: { fleet: 'all', 'cluster.x-k8s.io/cluster-name': name },
    },
    // Names an endpoint only because newer definitions want a spec that says something.
    spec: {
      controlPlaneEndpoint: { host: `${name}.test`, port: 443 },
      ...(isPending
        ? {
            infrastructureRef:
              s.apiVersion === 'v1beta1'
                ? { ...kind, apiVersion: `${group}/v1beta1`, namespace: s.namespace }
                : { ...kind, apiGroup: group },
          }
        : {}),
    },
  }
}

/** As Cluster API's control planes write it; both upstream and Lockstep read it. */
export const kubeconfigSecret = (namespace: string, name: string, url: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: `${name}-kubeconfig`,
    namespace,
    labels: { 'cluster.x-k8s.io/cluster-name': name },
  },
  type: 'cluster.x-k8s.io/secret',
  data: { value: bytesToBase64(new TextEncoder().encode(encodeJson(kubeconfigFor(url)))) },
})

/** Leads to a server that asks for no credentials. */
export const kubeconfigFor = (url: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
  clusters: [{ name: 'c', cluster: { server: url } }],
  users: [{ name: 'c', user: {} }],
})

/** What makes upstream connect. */
export const readyStatus = (apiVersion: string): JsonObject =>
  apiVersion === 'v1beta1'
    ? { infrastructureReady: true, controlPlaneReady: true }
    : { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } }

/** A Cluster that is up, and that upstream knows; its kubeconfig Secret is the stage's matter. */
export async function addCluster(s: Stage, name: string): Promise<void> {
  await must(s, '', 'POST', clustersPath(s), clusterObject(s, name) as unknown as JsonObject)
  await merge(s, `${clustersPath(s)}/${name}/status`, { status: readyStatus(s.apiVersion) })
  await s.settle()
}

export interface SetOptions {
  readonly strategy?: string
  readonly resources: readonly string[]
  readonly labels?: JsonObject
}

/** `ConfigMap/a`, `Secret/b`; matches all clusters of `addCluster`. */
export async function addSet(s: Stage, name: string, o: SetOptions): Promise<void> {
  await must(s, '', 'POST', setsPath(s), {
    apiVersion: `${ADDONS}/${s.apiVersion}`,
    kind: 'ClusterResourceSet',
    metadata: { name, namespace: s.namespace, ...(o.labels ? { labels: o.labels } : {}) },
    spec: {
      clusterSelector: { matchLabels: { fleet: 'all' } },
      resources: o.resources.map((r) => ({ kind: r.split('/')[0]!, name: r.split('/')[1]! })),
      strategy: o.strategy ?? 'ApplyOnce',
    },
  })
}

export const addConfigMap = (s: Stage, name: string, data: JsonObject): Promise<JsonValue> =>
  must(s, '', 'POST', corePath(s, 'configmaps'), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: s.namespace },
    data,
  })

export const addSecret = (
  s: Stage,
  name: string,
  stringData: JsonObject,
  type = `${ADDONS}/resource-set`,
): Promise<JsonValue> =>
  must(s, '', 'POST', corePath(s, 'secrets'), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: s.namespace },
    type,
    stringData,
  })
