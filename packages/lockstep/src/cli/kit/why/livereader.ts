/** Reads objects, and the Pods behind them, from their clusters: first noted, then read at once. */
import { requestErrorText } from '@lockstep/kube/client'
import { podKind } from '@lockstep/kube/kinds'
import { defineKind, parseApiVersion } from '@lockstep/kube/object'
import { adviceOf, type WaitRef } from '../../../api/reasons/index.ts'
import type { ClusterReads } from '../../../controllers/plan/index.ts'
import {
  type AnswerBlocker,
  type Cause,
  type CauseAddress,
  type ObjectWithPods,
  objectCause,
  podSelector,
} from '../../../decisions/answer/index.ts'
import { type DependencyObjectRef, objectRef } from '../../../decisions/graph/index.ts'
import { ClusterConnections, type HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import type { FleetSnapshot } from '../snapshot/index.ts'

type WantedObject = WaitRef & { readonly cluster: string; readonly object: DependencyObjectRef }

export class LiveReader implements ClusterReads {
  private readonly c: CommandContext
  private readonly nowMs: number
  private readonly clusters: ClusterConnections
  private readonly known = new Map<string, ObjectWithPods>()
  private readonly wanted = new Map<string, WantedObject>()

  constructor(c: CommandContext, hub: HubConnection, s: FleetSnapshot) {
    this.c = c
    this.nowMs = s.nowMs
    this.clusters = new ClusterConnections(c, hub, s.clusters)
  }

  readonly objects: ClusterReads['objects'] = (ref, cluster) => {
    const live = this.find(objectRef(ref, cluster))
    if (live?.problem !== undefined) return { type: 'Unread', detail: live.problem }
    if (!live) return { type: 'Unread', detail: 'not read' }
    return live.object ? { type: 'Present', object: live.object } : { type: 'Absent' }
  }

  cause(
    ref: WaitRef,
    blocker: AnswerBlocker,
    address: CauseAddress,
    health: ObjectWithPods['health'],
  ): Cause | undefined {
    const found = this.find(ref)
    const live = found && { ...found, health }
    return live && objectCause(ref, live, { ...blocker, advice: adviceOf(blocker) }, this.nowMs, address)
  }

  /** Reads the noted objects; false: none was noted. */
  async readWanted(): Promise<boolean> {
    const all = [...this.wanted]
    this.wanted.clear()
    for (const [id, ref] of all) this.known.set(id, await this.read(ref))
    return all.length > 0
  }

  close(): Promise<void> {
    return this.clusters.close()
  }

  private find(ref: WaitRef): ObjectWithPods | undefined {
    const { object, cluster } = ref
    if (object === undefined || cluster === undefined) return undefined
    const id = JSON.stringify([cluster, object.apiVersion, object.kind, ref.namespace ?? '', ref.name])
    const known = this.known.get(id)
    if (!known) this.wanted.set(id, { ...ref, cluster, object } as WantedObject)
    return known
  }

  private async read(ref: WantedObject): Promise<ObjectWithPods> {
    const there = await this.clusters.reach(ref.cluster)
    if (typeof there === 'string') return { pods: [], problem: there }
    const { group, version } = parseApiVersion(ref.object.apiVersion)
    const { kind: name } = ref.object
    const kind = there.served.find((r) => r.group === group && r.kind === name && r.version === version)
    if (!kind) return { pods: [], problem: `${ref.cluster} does not serve ${ref.object.apiVersion} ${name}` }
    const call = { purpose: 'user', signal: this.c.signal } as const
    const got = await there.client.get(defineKind(kind), ref, call)
    if (!got.ok)
      return { pods: [], ...(got.error.kind === 'NotFound' ? {} : { problem: requestErrorText(got.error) }) }
    if (name === 'Pod') return { object: got.value, pods: [got.value] }
    const labelSelector = podSelector(got.value)
    if (labelSelector === undefined || ref.namespace === undefined) return { object: got.value, pods: [] }
    const pods = await there.client.list(podKind, { ...call, namespace: ref.namespace, labelSelector })
    return { object: got.value, pods: pods.ok ? pods.value.items : [] }
  }
}
