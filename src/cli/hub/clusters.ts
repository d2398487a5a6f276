/** Clients of clusters for one run of a command. */

import type { ClusterView } from '../../fleet/cluster.ts'
import { HUB_CLUSTER } from '../../fleet/cluster.ts'
import type { KubeClient, ServedResource } from '../../kube/client.ts'
import { kubeErrorText } from '../../kube/error.ts'
import { createKubeClient } from '../../kube/http.ts'
import type { Context } from '../command.ts'
import { type Hub, withTimeout } from './hub.ts'

export interface Reached {
  readonly client: KubeClient
  readonly served: readonly ServedResource[]
}

export class Clusters {
  private readonly c: Context
  private readonly hub: Hub
  private readonly views: readonly ClusterView[]
  private readonly reached = new Map<string, Promise<Reached | string>>()

  constructor(c: Context, hub: Hub, views: readonly ClusterView[]) {
    this.c = c
    this.hub = hub
    this.views = views
  }

  async close(): Promise<void> {
    for (const pending of this.reached.values()) {
      const there = await pending
      if (typeof there !== 'string' && there.client !== this.hub.client) await there.client.close()
    }
  }

  /** Or why not. */
  reach(cluster: string): Promise<Reached | string> {
    const known = this.reached.get(cluster)
    if (known) return known
    const opened = this.open(cluster)
    this.reached.set(cluster, opened)
    return opened
  }

  private async open(cluster: string): Promise<Reached | string> {
    const client = this.clientOf(cluster)
    if (!client) return `no credential for ${cluster}`
    const served = await client.discover({ why: 'user', signal: this.c.signal })
    return served.ok
      ? { client, served: served.value }
      : `cannot read ${cluster}: ${kubeErrorText(served.error)}`
  }

  private clientOf(cluster: string): KubeClient | undefined {
    if (cluster === HUB_CLUSTER) return this.hub.client
    const access = this.views.find((x) => x.name === cluster)?.access
    if (access?.type !== 'Kubeconfig') return undefined
    const connection = withTimeout(this.c.env.net.connect(access.endpoint), this.c.globals.requestTimeoutMs)
    return createKubeClient(this.c.env, cluster, connection, 'lockstep-cli')
  }
}
