/** RemoteAssemblages: their status sums up the Inventories of one cluster. */
import { mergeConditions } from '../api/conditions.ts'
import type { Stored } from '../api/kind.ts'
import type { RemoteAssemblageStatus, SyncStatus } from '../api/kinds/assemblage.ts'
import { MANAGER } from '../api/labels.ts'
import { type Inventory, type RemoteAssemblage, remoteAssemblageKind } from '../api/registry.ts'
import { assemblageName, inventoryName } from '../deliver/names.ts'
import type { Item, Outcome } from '../kube/queue.ts'
import { jsonEqual, timestamp } from '../object/object.ts'
import type { Context } from './context.ts'
import { failedWrite } from './failedwrite.ts'
import { type Held, holdFor } from './pace.ts'

export const ASSEMBLAGE_CONTROLLER = 'assemblage'

/** People read this; the gates read Inventories. So it may lag, and costs little. */
const HOLD_MS = 2000

export class AssemblageController {
  private readonly c: Context
  private readonly held = new Map<string, Held>()

  constructor(context: Context) {
    this.c = context
  }

  item(namespace: string, cluster: string): Item {
    return { controller: ASSEMBLAGE_CONTROLLER, cluster: 'hub', key: `${namespace}/${cluster}` }
  }

  async reconcile(item: Item): Promise<Outcome> {
    const [namespace, cluster] = item.key.split('/') as [string, string]
    const { hub, env } = this.c
    const assemblage = hub.assemblages.store.get({
      namespace,
      name: assemblageName({ kind: '', name: cluster }),
    })
    const status = assemblage && this.statusOf(assemblage, namespace, cluster)
    if (!status || jsonEqual(status, assemblage.status)) {
      this.held.delete(item.key)
      return { ok: true }
    }
    const held = this.held.get(item.key) ?? { since: undefined }
    this.held.set(item.key, held)
    const left = holdFor(held, env.clock.steady(), HOLD_MS)
    if (left > 0) return { ok: true, afterMs: left }
    this.held.delete(item.key)
    const done = await hub.client.replace(
      remoteAssemblageKind,
      { ...assemblage, status },
      { why: 'status', manager: MANAGER, subresource: 'status' },
    )
    if (!done.ok) return failedWrite(this.c, done.error)
    hub.assemblages.wrote(done.value)
    return { ok: true }
  }

  private statusOf(
    assemblage: Stored<RemoteAssemblage>,
    namespace: string,
    cluster: string,
  ): RemoteAssemblageStatus {
    const { hub, fleet, env } = this.c
    const view = fleet.view(namespace, cluster)
    const condition = view
      ? fleet.condition(view)
      : { state: 'Absent', message: 'the cluster is not in the inventory any more' }
    const uid = view && fleet.session(view)?.uid
    const syncs = (assemblage.spec.syncs ?? []).map((s): SyncStatus => {
      const ref = { kind: s.kind, namespace, name: s.name }
      return syncStatus(s, hub.inventories.store.get({ namespace, name: inventoryName(ref, cluster) }))
    })
    const ready = syncs.filter((s) => s.state === 'Ready').length
    const isReady = condition.state === 'Connected' && ready === syncs.length
    const first = syncs.find((s) => s.state !== 'Ready')
    const message =
      condition.message ||
      (first ? `${first.kind}/${first.name} is ${first.state}` : `${ready} of ${syncs.length} modules ready`)
    return {
      observedGeneration: assemblage.metadata.generation ?? 0,
      ...(uid
        ? { clusterUid: assemblage.status?.clusterUid ?? uid }
        : assemblage.status?.clusterUid
          ? { clusterUid: assemblage.status.clusterUid }
          : {}),
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
}

function syncStatus(
  record: NonNullable<RemoteAssemblage['spec']['syncs']>[number],
  inventory: Stored<Inventory> | undefined,
): SyncStatus {
  const status = inventory?.status
  const admitted = inventory?.spec.admitted
  return {
    kind: record.kind,
    name: record.name,
    ...(admitted ? { revision: admitted.revision } : {}),
    ...(status?.verifiedGateDigest ? { gateDigest: status.verifiedGateDigest } : {}),
    state: status?.state ?? 'Waiting',
    ...(status?.objects ? { objects: { ready: status.objects.ready, total: status.objects.total } } : {}),
    ...(status?.blockers ? { blockers: status.blockers.slice(0, 3) } : {}),
    observedSerial: status?.observedSerial ?? 0,
  }
}
