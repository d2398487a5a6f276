/** Reads from a cluster what the chain asks for. */

import { defineKind } from '../../api/kind.ts'
import { podKind } from '../../api/kinds/foreign.ts'
import { HUB_CLUSTER } from '../../fleet/cluster.ts'
import type { KubeClient, ServedResource } from '../../kube/client.ts'
import { kubeErrorText } from '../../kube/error.ts'
import { createKubeClient } from '../../kube/http.ts'
import { at, isObject, type KubeObject } from '../../object/object.ts'
import type { Context } from '../command.ts'
import { type Hub, withTimeout } from '../hub/hub.ts'
import type { Snapshot } from '../view/snapshot.ts'
import type { Live } from './objects.ts'
import type { Wanted } from './tree.ts'

interface Reached {
  readonly client: KubeClient
  readonly served: readonly ServedResource[]
}

/** Clients of clusters for one run of a command. */
export class LiveReader {
  private readonly c: Context
  private readonly hub: Hub
  private readonly s: Snapshot
  private readonly reached = new Map<string, Promise<Reached | string>>()

  constructor(c: Context, hub: Hub, s: Snapshot) {
    this.c = c
    this.hub = hub
    this.s = s
  }

  async read(w: Wanted): Promise<Live> {
    const there = await this.reach(w.cluster)
    if (typeof there === 'string') return { pods: [], problem: there }
    const kind = there.served.find((r) => r.group === w.group && r.kind === w.kind && r.version === w.version)
    if (!kind) return { pods: [], problem: `${w.cluster} does not serve ${w.kind}` }
    const call = { why: 'user', signal: this.c.signal } as const
    const got = await there.client.get(defineKind(kind), w, call)
    if (!got.ok)
      return { pods: [], ...(got.error.kind === 'NotFound' ? {} : { problem: kubeErrorText(got.error) }) }
    const labelSelector = podSelector(got.value)
    if (w.kind === 'Pod') return { object: got.value, pods: [got.value] }
    if (labelSelector === undefined || w.namespace === undefined) return { object: got.value, pods: [] }
    const pods = await there.client.list(podKind, { ...call, namespace: w.namespace, labelSelector })
    return { object: got.value, pods: pods.ok ? pods.value.items : [] }
  }

  async close(): Promise<void> {
    for (const pending of this.reached.values()) {
      const there = await pending
      if (typeof there !== 'string' && there.client !== this.hub.client) await there.client.close()
    }
  }

  private reach(cluster: string): Promise<Reached | string> {
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
    const access = this.s.clusters.find((x) => x.name === cluster)?.access
    if (access?.type !== 'Kubeconfig') return undefined
    const connection = withTimeout(this.c.env.net.connect(access.endpoint), this.c.globals.requestTimeoutMs)
    return createKubeClient(this.c.env, cluster, connection, 'lockstep-cli')
  }
}

/** `a=b,c=d` of a workload's selector. */
function podSelector(o: KubeObject): string | undefined {
  const labels = at(o, 'spec', 'selector', 'matchLabels')
  if (!isObject(labels)) return undefined
  return Object.entries(labels)
    .map(([k, v]) => `${k}=${String(v)}`)
    .join(',')
}
