/** RemoteAssemblages: their status sums up the Inventories of one cluster. */

import type { Env } from '@lockstep/kube/env'
import { keyText, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { keepSince } from '../../api/blocker.ts'
import { mergeConditions } from '../../api/conditions.ts'
import type {
  Inventory,
  RemoteAssemblage,
  RemoteAssemblageStatus,
  SyncStatus,
} from '../../api/kinds/index.ts'
import { ACCEPT_ANNOTATION } from '../../api/labels.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import {
  type ClusterCondition,
  type ClusterView,
  type Fleet,
  type FleetReader,
  goneCondition,
  nextClusterIdentity,
} from '../../fleet/clusters/index.ts'
import { assignmentStatus, type HubInformers, isOfSet } from '../cache/index.ts'
import { type OrphanDeps, reconcileOrphans } from '../gc/index.ts'
import {
  always,
  type ClusterKey,
  type Controller,
  clusterKey,
  defineController,
  hubCluster,
  memberCluster,
  on,
  onCluster,
  type StatusWriter,
  soonest,
} from '../runtime/index.ts'
import { hubInventories } from '../unit/index.ts'

/** People read this; the gates read Inventories. So it may lag, and costs little. */
const DEBOUNCE_MS = 2000

export interface AssemblageDeps {
  readonly env: Env
  readonly hub: Pick<HubInformers, 'assemblages' | 'inventories'>
  readonly fleet: FleetReader
  readonly status: StatusWriter
  readonly orphans: OrphanDeps
}

export const assemblageController = (d: AssemblageDeps): Controller<ClusterKey> =>
  defineController({
    name: 'assemblage',
    key: clusterKey,
    for: on(
      'assemblages',
      (_, after) => after !== undefined && isIdentityRequested(after),
      ({ metadata, spec }) => [clusterKey.of(metadata.namespace ?? '', spec.clusterRef.name)],
      'resync',
    ),
    watches: [
      on('inventories', always, clusterOfInventory, 'resync'),
      onCluster(memberCluster, ({ namespace, name }) => [clusterKey.of(namespace, name)], 'resync'),
      onCluster(hubCluster, () => [...hubInventories(d)].flatMap(clusterOfInventory), 'resync'),
    ],
    reconcile: (key) => reconcile(key, d),
  })

const clusterOfInventory = (i: Stored<Inventory>): ClusterKey[] =>
  isOfSet(i) ? [] : [clusterKey.of(i.metadata.namespace ?? '', i.spec.clusterRef.name)]

async function reconcile(key: ClusterKey, d: AssemblageDeps): Promise<ReconcileResult> {
  const orphans = await reconcileOrphans(d.orphans, key)
  if (!orphans.ok) return orphans
  const assemblage = d.hub.assemblages.store.get(key)
  if (!assemblage) {
    d.status.forget('assemblages', key)
    return orphans
  }
  const written = await d.status.update('assemblages', assemblage, assemblageStatus(d, assemblage), {
    debounceMs: DEBOUNCE_MS,
    // Who a cluster is decides what is delivered to it.
    urgent: (before, after) => before?.clusterUid !== after.clusterUid,
  })
  return soonest(written, orphans)
}

/** What is written down of a cluster is news to the fleet. */
export function noteCluster(
  fleet: Pick<Fleet, 'note'>,
  before: Stored<RemoteAssemblage> | undefined,
  after: Stored<RemoteAssemblage> | undefined,
): void {
  const { namespace = '', name } = (after ?? before)!.metadata
  const { clusterUid: uid, objectUid } = after?.status ?? {}
  fleet.note({ namespace, name }, after && { kind: after.spec.clusterRef.kind, uid, objectUid })
}

/** Who the cluster is has to be written down, or is to be changed by a person. */
function isIdentityRequested({ metadata, status }: Stored<RemoteAssemblage>): boolean {
  const accepted = metadata.annotations?.[ACCEPT_ANNOTATION]
  return status?.clusterUid === undefined || (accepted !== undefined && accepted !== status.clusterUid)
}

/** The status, from the state of the cluster and of its Inventories. */
function assemblageStatus(d: AssemblageDeps, assemblage: Stored<RemoteAssemblage>): RemoteAssemblageStatus {
  const { hub, fleet, env } = d
  const { namespace = '', name: cluster } = assemblage.metadata
  const view = fleet.view(namespace, cluster)
  const condition: ReportedCondition = view
    ? conditionOf(fleet, view, assemblage)
    : goneCondition(
        namespace,
        assemblage.spec.clusterRef,
        hub.inventories.store.by('cluster', keyText(assemblage.metadata)),
      )
  const { blocker } = condition
  const now = timestamp(env.clock.now())
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
    ...identityOf(d, assemblage, view),
    cluster: condition.state,
    ...(blocker === undefined ? {} : { blockers: keepSince([blocker], assemblage.status?.blockers, now) }),
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
      now,
    ),
  }
}

type ReportedCondition = Pick<ClusterCondition, 'state' | 'message' | 'blocker'>

/** After a start: what was connected is, as long as nothing else is known of it. */
function conditionOf(
  fleet: FleetReader,
  view: ClusterView,
  { status }: Stored<RemoteAssemblage>,
): ReportedCondition {
  const found = fleet.condition(view)
  const uid = fleet.connection(view)?.uid ?? status?.clusterUid
  const isStarting = found.state === 'Connecting' && fleet.connection(view)?.problem === undefined
  const isSame = uid === status?.clusterUid && status?.cluster === 'Connected'
  return isStarting && isSame ? { state: 'Connected', message: '' } : found
}

/** Who the cluster is: as it was written down, or as it is to be. What Inventories say counts where that is lost. */
function identityOf(
  { hub, fleet }: Pick<AssemblageDeps, 'hub' | 'fleet'>,
  assemblage: Stored<RemoteAssemblage>,
  view: ClusterView | undefined,
): Pick<RemoteAssemblageStatus, 'clusterUid' | 'objectUid'> {
  const { metadata, status } = assemblage
  const all = hub.inventories.store.by('cluster', keyText(metadata))
  // What a ClusterResourceSet has applied may be of a cluster before this one: it begins anew by itself.
  const inventory = [...all].find((i) => i.spec.set === undefined)
  const uid = status?.clusterUid ?? inventory?.spec.clusterUid
  const known = uid === undefined ? undefined : { uid, objectUid: status?.objectUid }
  const seen = view && fleet.connection(view)?.uid
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
