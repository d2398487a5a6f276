/** Reads from a cluster what the chain asks for. */

import { requestErrorText } from '@lockstep/kube/client'
import { controllerRevisionKind, podKind } from '@lockstep/kube/kinds'
import { at, defineKind, isObject, type KubeObject } from '@lockstep/kube/object'
import { revisionName, revisionRecordOf } from '../../../controllers/cache/index.ts'
import { ClusterConnections, type HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import type { FleetSnapshot } from '../snapshot/index.ts'
import type { ObjectWithPods } from './podnodes.ts'
import type { WantedObject } from './whytree.ts'

export class LiveReader {
  private readonly c: CommandContext
  private readonly hub: HubConnection
  private readonly clusters: ClusterConnections
  private readonly settings = new Map<string, Promise<ObjectWithPods['health']>>()

  constructor(c: CommandContext, hub: HubConnection, s: FleetSnapshot) {
    this.c = c
    this.hub = hub
    this.clusters = new ClusterConnections(c, hub, s.clusters)
  }

  async read(w: WantedObject): Promise<ObjectWithPods> {
    const live = await this.object(w)
    const health = live.object && w.admitted && (await this.healthOf(w.admitted))
    return health ? { ...live, health } : live
  }

  /** The settings of a revision; once for all of its objects. Without them the health of a kind is told as by default. */
  private healthOf({
    module,
    revision,
  }: NonNullable<WantedObject['admitted']>): Promise<ObjectWithPods['health']> {
    const name = revisionName(module, revision)
    const known = this.settings.get(name)
    if (known) return known
    const key = { namespace: module.namespace, name }
    const found = this.hub.client
      .get(controllerRevisionKind, key, { purpose: 'user', signal: this.c.signal })
      .then((got) => (got.ok ? revisionRecordOf(got.value).spec.health : undefined))
    this.settings.set(name, found)
    return found
  }

  private async object(w: WantedObject): Promise<ObjectWithPods> {
    const there = await this.clusters.reach(w.cluster)
    if (typeof there === 'string') return { pods: [], problem: there }
    const kind = there.served.find((r) => r.group === w.group && r.kind === w.kind && r.version === w.version)
    if (!kind) return { pods: [], problem: `${w.cluster} does not serve ${w.kind}` }
    const call = { purpose: 'user', signal: this.c.signal } as const
    const got = await there.client.get(defineKind(kind), w, call)
    if (!got.ok)
      return { pods: [], ...(got.error.kind === 'NotFound' ? {} : { problem: requestErrorText(got.error) }) }
    const labelSelector = podSelector(got.value)
    if (w.kind === 'Pod') return { object: got.value, pods: [got.value] }
    if (labelSelector === undefined || w.namespace === undefined) return { object: got.value, pods: [] }
    const pods = await there.client.list(podKind, { ...call, namespace: w.namespace, labelSelector })
    return { object: got.value, pods: pods.ok ? pods.value.items : [] }
  }

  close(): Promise<void> {
    return this.clusters.close()
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
