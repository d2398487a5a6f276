/** Clients of clusters for one run of a command. */

import {
  createHttpClient,
  type KubeClient,
  requestErrorText,
  type ServedResource,
} from '@lockstep/kube/client'
import { withTimeout } from '@lockstep/kube/env'
import { secretKind } from '@lockstep/kube/kinds'
import { type ClusterAccess, type ClusterView, HUB_CLUSTER, hubView } from '../../../fleet/clusters/index.ts'
import { connectSource } from '../../../fleet/credentials/index.ts'
import { clusterApiAccess, kubeconfigName } from '../../../fleet/inventories/index.ts'
import { type CommandContext, failed } from '../index.ts'
import { nearest } from '../terminal/index.ts'
import type { HubConnection } from './hub.ts'

/** Its editor chose the proxy, and which ones are allowed only the controller knows. */
export const PROXY_OF_HUB = 'its kubeconfig on the hub names a proxy, which only the controller uses'

export interface ClusterConnection {
  readonly client: KubeClient
  readonly served: readonly ServedResource[]
}

/** Of a name that no cluster has. */
export function noCluster(name: string, known: readonly string[], { namespace }: HubConnection) {
  const meant = nearest(name, [...known])
  const suggestion = meant ? `did you mean ${meant}?` : `clusters: ${known.join(', ') || 'none'}`
  return failed('E_NOT_FOUND', { kind: 'cluster', name, namespace, suggestion })
}

export class ClusterConnections {
  private readonly c: CommandContext
  private readonly hub: HubConnection
  private readonly views: readonly ClusterView[]
  /** Clusters that a person has connected to, by name: they stay open. */
  private readonly given: ReadonlyMap<string, ClusterConnection>
  private readonly reached = new Map<string, Promise<ClusterConnection | string>>()

  constructor(
    c: CommandContext,
    hub: HubConnection,
    views: readonly ClusterView[],
    given: ReadonlyMap<string, ClusterConnection> = new Map(),
  ) {
    this.c = c
    this.hub = hub
    this.views = views
    this.given = given
  }

  async close(): Promise<void> {
    for (const pending of this.reached.values()) {
      const there = await pending
      if (typeof there !== 'string' && there.client !== this.hub.client) await there.client.close()
    }
  }

  /** As the hub knows it. */
  view(cluster: string): ClusterView | undefined {
    return (
      this.views.find((x) => x.name === cluster) ??
      (cluster === HUB_CLUSTER ? hubView(this.hub.namespace) : undefined)
    )
  }

  /** Or why not. */
  async reach(cluster: string): Promise<ClusterConnection | string> {
    const known = this.given.get(cluster) ?? this.reached.get(cluster)
    if (known) return known
    const opened = this.open(cluster)
    this.reached.set(cluster, opened)
    return opened
  }

  private async open(cluster: string): Promise<ClusterConnection | string> {
    const client = await this.clientOf(cluster)
    if (typeof client === 'string') return client
    const served = await client.discover({ purpose: 'user', signal: this.c.signal })
    return served.ok
      ? { client, served: served.value }
      : `cannot read ${cluster}: ${requestErrorText(served.error)}`
  }

  private async clientOf(cluster: string): Promise<KubeClient | string> {
    if (cluster === HUB_CLUSTER) return this.hub.client
    const view = this.views.find((x) => x.name === cluster)
    const access = view?.kind === 'ClusterAPI' ? await this.kubeconfigOf(view) : view?.access
    if (access?.type !== 'Source')
      return `no credential for ${cluster}${access && 'message' in access ? `: ${access.message}` : ''}`
    if (access.source.endpoint.proxy !== undefined) return `cannot connect to ${cluster}: ${PROXY_OF_HUB}`
    const by = { namespace: view!.namespace, allowed: this.hub.allowHosts ?? [] }
    const connection = withTimeout(
      connectSource(this.c.env, access.source, by),
      this.c.globals.requestTimeoutMs,
    )
    return createHttpClient(this.c.env, cluster, connection, 'lockstep-cli')
  }

  /** Of a Cluster of Cluster API. */
  private async kubeconfigOf({ namespace, objectName }: ClusterView): Promise<ClusterAccess> {
    const key = { namespace, name: kubeconfigName(objectName) }
    const found = await this.hub.client.get(secretKind, key, { purpose: 'user', signal: this.c.signal })
    return found.ok
      ? clusterApiAccess(found.value, 'Any')
      : { type: 'Missing', message: `Secret ${namespace}/${key.name}: ${requestErrorText(found.error)}` }
  }
}
