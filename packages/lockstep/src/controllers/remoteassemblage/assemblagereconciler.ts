/** RemoteAssemblages: their status sums up the Inventories of one cluster. */

import { jsonEqual, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { mergeConditions } from '../../api/conditions.ts'
import {
  type RemoteAssemblage,
  type RemoteAssemblageStatus,
  remoteAssemblageKind,
  type SyncStatus,
} from '../../api/kinds/index.ts'
import { ACCEPT_ANNOTATION, MANAGER } from '../../api/labels.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import {
  type ClusterCondition,
  type ClusterView,
  type Fleet,
  nextClusterIdentity,
} from '../../fleet/clusters/index.ts'
import type { ControllerContext } from '../cache/index.ts'
import { assignmentStatus } from '../cache/index.ts'
import { reconcileOrphans } from '../gc/index.ts'
import {
  type ClusterKey,
  clusterKey,
  failedWrite,
  keyId,
  type Request,
  remainingDebounceMs,
  requestOf,
  type StatusDebounce,
} from '../runtime/index.ts'

export const ASSEMBLAGE_CONTROLLER = 'assemblage'

/** People read this; the gates read Inventories. So it may lag, and costs little. */
const HOLD_MS = 2000

/** What is written down of a cluster is news to the fleet. */
export function noteCluster(fleet: Fleet, before: unknown, after: unknown): void {
  const { metadata } = (after ?? before) as Stored<RemoteAssemblage>
  const { spec, status } = (after ?? {}) as Partial<RemoteAssemblage>
  const known = { uid: status?.clusterUid, objectUid: status?.objectUid }
  const key = { namespace: metadata.namespace ?? '', name: metadata.name }
  fleet.note(key, spec && { kind: spec.clusterRef.kind, ...known })
}

/** Who the cluster is has to be written down, or is to be changed by a person. */
export function isIdentityRequested({ metadata, status }: Stored<RemoteAssemblage>): boolean {
  const accepted = metadata.annotations?.[ACCEPT_ANNOTATION]
  return status?.clusterUid === undefined || (accepted !== undefined && accepted !== status.clusterUid)
}

export class AssemblageReconciler {
  private readonly c: ControllerContext
  private readonly held = new Map<string, StatusDebounce>()

  constructor(context: ControllerContext) {
    this.c = context
  }

  item(namespace: string, cluster: string): Request {
    return requestOf(ASSEMBLAGE_CONTROLLER, clusterKey.of(namespace, cluster))
  }

  async reconcile(key: ClusterKey): Promise<ReconcileResult> {
    const { namespace, name: cluster } = key
    const id = keyId(key)
    const { hub, env } = this.c
    const orphaned = await reconcileOrphans(this.c, namespace, cluster)
    if (orphaned && (!orphaned.ok || orphaned.requeueAfterMs === undefined)) return orphaned
    const rest: ReconcileResult = orphaned ?? { ok: true }
    const assemblage = hub.assemblages.store.get({ namespace, name: cluster })
    const status = assemblage && this.statusOf(assemblage, namespace, cluster)
    if (!status || jsonEqual(status, assemblage.status)) {
      this.held.delete(id)
      return rest
    }
    const held = this.held.get(id) ?? { since: undefined }
    this.held.set(id, held)
    const left = remainingDebounceMs(held, env.clock.steady(), HOLD_MS)
    // Who a cluster is decides what is delivered to it.
    if (left > 0 && status.clusterUid === assemblage.status?.clusterUid)
      return { ok: true, requeueAfterMs: left }
    this.held.delete(id)
    const done = await hub.client.update(
      remoteAssemblageKind,
      { ...assemblage, status },
      { purpose: 'status', manager: MANAGER, subresource: 'status' },
    )
    if (!done.ok) return failedWrite(this.c, done.error)
    hub.assemblages.observeWrite(done.value)
    return rest
  }

  private statusOf(
    assemblage: Stored<RemoteAssemblage>,
    namespace: string,
    cluster: string,
  ): RemoteAssemblageStatus {
    const { hub, fleet, env } = this.c
    const view = fleet.view(namespace, cluster)
    const condition = view
      ? this.conditionOf(view, assemblage)
      : { state: 'Absent', message: 'the cluster is not in the inventory any more' }
    const syncs = (assemblage.spec.syncs ?? []).map((s): SyncStatus => {
      const ref = { kind: s.kind, namespace, name: s.name }
      return assignmentStatus(s, hub.inventories.store.get({ namespace, name: inventoryName(ref, cluster) }))
    })
    const ready = syncs.filter((s) => s.state === 'Ready').length
    const isReady = condition.state === 'Connected' && ready === syncs.length
    const first = syncs.find((s) => s.state !== 'Ready')
    const message =
      condition.message ||
      (first ? `${first.kind}/${first.name} is ${first.state}` : `${ready} of ${syncs.length} modules ready`)
    return {
      observedGeneration: assemblage.metadata.generation ?? 0,
      ...this.identityOf(assemblage, view),
      cluster: condition.state,
      ready: `${ready}/${syncs.length}`,
      syncs,
      conditions: mergeConditions(
        assemblage.status?.conditions,
        [
          {
            type: 'Ready',
            status: isReady ? 'True' : 'False',
            reason: isReady ? 'Ready' : condition.state,
            message,
            observedGeneration: assemblage.metadata.generation ?? 0,
          },
        ],
        timestamp(env.clock.now()),
      ),
    }
  }

  /** After a start: what was connected is, as long as nothing else is known of it. */
  private conditionOf(
    view: ClusterView,
    { status }: Stored<RemoteAssemblage>,
  ): Pick<ClusterCondition, 'state' | 'message'> {
    const { fleet } = this.c
    const found = fleet.condition(view)
    const uid = fleet.session(view)?.uid ?? status?.clusterUid
    const isStarting = found.reason === 'Provisioning' && uid === status?.clusterUid
    return isStarting && status?.cluster === 'Connected' ? { state: 'Connected', message: '' } : found
  }

  /** Who the cluster is: as it was written down, or as it is to be. What Inventories say counts where that is lost. */
  private identityOf(
    assemblage: Stored<RemoteAssemblage>,
    view: ClusterView | undefined,
  ): Pick<RemoteAssemblageStatus, 'clusterUid' | 'objectUid'> {
    const { metadata, status } = assemblage
    const all = this.c.hub.inventories.store.by('cluster', `${metadata.namespace}/${metadata.name}`)
    // What a ClusterResourceSet has applied may be of a cluster before this one: it begins anew by itself.
    const inventory = [...all].find((i) => i.spec.set === undefined)
    const uid = status?.clusterUid ?? inventory?.spec.clusterUid
    const known = uid === undefined ? undefined : { uid, objectUid: status?.objectUid }
    const seen = view && this.c.fleet.session(view)?.uid
    const now =
      view && seen !== undefined
        ? nextClusterIdentity(
            known,
            { uid: seen, objectUid: view.uid },
            metadata.annotations?.[ACCEPT_ANNOTATION],
          )
        : known
    return {
      ...(now ? { clusterUid: now.uid } : {}),
      ...(now?.objectUid === undefined ? {} : { objectUid: now.objectUid }),
    }
  }
}
