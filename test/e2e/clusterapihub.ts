/** Cluster API on a hub in this process, in real time: its definitions, Clusters that are up, and its controller at work. */

import type { ApiServer } from '../../packages/apiserver/src/server/index.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import { configMapKind, crdKind, namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import type { Condition } from '../../packages/lockstep/src/api/conditions.ts'
import {
  type ClusterResourceSet,
  resourceSetKinds,
} from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import type { ResourceSetSourceRef } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { HUB, kubeconfigOf } from '../../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import type { LocalServer } from '../../packages/lockstep/src/cli/kit/localfleet/localserver.ts'
import { clusterApiKinds, kubeconfigName } from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import {
  type ClusterApiVersion,
  UPSTREAM_BEHAVIORS,
} from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { clusterApiDefinitions } from '../../packages/simulators/src/clusterapi/definitions.cases.ts'
import { LEASE_NAMESPACE } from '../../packages/simulators/src/clusterapi/lease.ts'
import { readyStatus } from '../../packages/simulators/src/clusterapi/stage.cases.ts'
import { type ClusterApi, startClusterApi } from '../../packages/simulators/src/clusterapi/startclusterapi.ts'
import { eventually } from './lockstep.ts'

const WRITE = { purpose: 'user', manager: 'person', precondition: 'any', force: true } as const

export class ClusterApiHub {
  readonly upstream: ClusterApi
  readonly setKind: Kind<ClusterResourceSet>
  private readonly hub: KubeClient
  private readonly namespace: string

  private constructor(hub: KubeClient, namespace: string, version: ClusterApiVersion, upstream: ClusterApi) {
    this.hub = hub
    this.namespace = namespace
    this.upstream = upstream
    this.setKind = resourceSetKinds.find((k) => k.version === UPSTREAM_BEHAVIORS[version].apiVersion)!
  }

  /** Clusters with the label `env: prod`, in a namespace of their own. */
  static async open(
    env: Env,
    hub: KubeClient,
    local: LocalServer,
    o: {
      readonly version: ClusterApiVersion
      readonly namespace: string
      readonly clusters: readonly ApiServer[]
    },
  ): Promise<ClusterApiHub> {
    const { apiVersion } = UPSTREAM_BEHAVIORS[o.version]
    for (const crd of clusterApiDefinitions(o.version)) await put(hub, crdKind, crd)
    for (const name of [o.namespace, LEASE_NAMESPACE])
      await put(hub, namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    const clusterKind = clusterApiKinds.find((k) => k.version === apiVersion)!
    await eventually(async () => (await hub.list(clusterKind, { purpose: 'user' })).ok, 'Clusters are served')
    for (const api of o.clusters) await addCluster(hub, clusterKind, o.namespace, api, local)
    const upstream = startClusterApi(env, {
      name: 'capi-controller-manager',
      version: o.version,
      hub: () => env.net.connect(local.endpointOf(HUB), 'operator'),
      cluster: (_, name) => env.net.connect(local.endpointOf(name), 'operator'),
    })
    return new ClusterApiHub(hub, o.namespace, o.version, upstream)
  }

  async source(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const metadata = { name, namespace: this.namespace }
    await put(this.hub, configMapKind, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as never)
  }

  async set(
    name: string,
    sources: readonly string[],
    strategy = 'ApplyOnce',
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { group, version, kind } = this.setKind
    const resources = sources.map((s): ResourceSetSourceRef => ({ kind: 'ConfigMap', name: s }))
    await put(
      this.hub,
      this.setKind as unknown as Kind,
      {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name, namespace: this.namespace, annotations },
        spec: { clusterSelector: { matchLabels: { env: 'prod' } }, resources, strategy },
      } as never,
    )
  }

  /** As a controller says it, in the place that the version has for conditions of the newer kind. */
  async say(name: string, said: Condition): Promise<void> {
    const old = (await this.see(name)).status
    const isNewer = this.setKind.version === 'v1beta2'
    const others = (isNewer ? old?.conditions : old?.v1beta2?.conditions) ?? []
    const conditions = [...others.filter((x) => x.type !== said.type), said]
    const status = isNewer ? { conditions } : { v1beta2: { conditions } }
    const key = { namespace: this.namespace, name }
    const write = { ...WRITE, subresource: 'status' } as const
    const done = await this.hub.patch(this.setKind, key, { status } as never, write)
    if (!done.ok) throw new Error(JSON.stringify(done.error))
  }

  async see(name: string): Promise<Stored<ClusterResourceSet>> {
    const found = await this.hub.get(this.setKind, { namespace: this.namespace, name }, { purpose: 'user' })
    if (!found.ok) throw new Error(JSON.stringify(found.error))
    return found.value
  }
}

async function put(hub: KubeClient, kind: Kind, body: KubeObject): Promise<void> {
  const done = await hub.apply(kind, body, WRITE)
  if (!done.ok) throw new Error(`${body.kind} ${body.metadata.name}: ${JSON.stringify(done.error)}`)
}

/** Up, as its own status says, with its kubeconfig, and with the Service that every API server makes. */
async function addCluster(
  hub: KubeClient,
  kind: Kind,
  namespace: string,
  api: ApiServer,
  local: LocalServer,
): Promise<void> {
  const { name } = api
  api.local.create(
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kubernetes', namespace: 'default' },
      spec: { ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
    } as never,
    'kube-apiserver',
  )
  const kubeconfig = kubeconfigOf([name], local.accessOf)
  await put(hub, secretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: kubeconfigName(name),
      namespace,
      labels: { 'cluster.x-k8s.io/cluster-name': name },
    },
    type: 'cluster.x-k8s.io/secret',
    data: { value: bytesToBase64(new TextEncoder().encode(kubeconfig)) },
  } as never)
  const spec = { controlPlaneEndpoint: { host: `${name}.test`, port: 443 } }
  const metadata = { name, namespace, labels: { env: 'prod' } }
  await put(hub, kind, {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata,
    spec,
  } as never)
  const status = { status: readyStatus(kind.version) } as never
  const done = await hub.patch(kind, { namespace, name }, status, { ...WRITE, subresource: 'status' })
  if (!done.ok) throw new Error(JSON.stringify(done.error))
}
