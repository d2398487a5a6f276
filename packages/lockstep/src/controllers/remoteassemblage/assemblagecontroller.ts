/** RemoteAssemblages: their status sums up the Inventories of one cluster. */

import type { Env } from '@lockstep/kube/env'
import { jsonEqual, keyOf, keyText, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { API_VERSION } from '../../api/apiversion.ts'
import { keepSince } from '../../api/blocker.ts'
import { mergeConditions } from '../../api/conditions.ts'
import {
  type Inventory,
  type RemoteAssemblage,
  type RemoteAssemblageStatus,
  remoteAssemblageKind,
  type SyncStatus,
} from '../../api/kinds/index.ts'
import { ACCEPT_ANNOTATION, BUCKET_LABEL, MANAGER } from '../../api/labels.ts'
import { bucketOf } from '../../deliver/plan/index.ts'
import { isOrphanedUnit } from '../../deliver/step/index.ts'
import {
  type ClusterCondition,
  type ClusterView,
  type Fleet,
  type FleetReader,
  goneCondition,
  nextClusterIdentity,
} from '../../fleet/clusters/index.ts'
import { assignmentOf, type HubInformers, isOfSet, unitSummary } from '../cache/index.ts'
import { type OrphanDeps, reconcileOrphans } from '../gc/index.ts'
import {
  type ClusterKey,
  type Controller,
  clusterEvents,
  clusterKey,
  defineController,
  done,
  failed,
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
  readonly hub: Pick<HubInformers, 'own' | 'assemblages' | 'foreign' | 'inventories'>
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
      on('inventories', isSummaryChanged, clusterOfInventory, 'resync'),
      onCluster(memberCluster, ({ namespace, name }) => [clusterKey.of(namespace, name)], 'resync'),
      onCluster(hubCluster, () => [...hubInventories(d)].flatMap(clusterOfInventory), 'resync'),
    ],
    reconcile: (key) => reconcile(key, d),
  })

/** Something that the status of its cluster says, or by which an orphan is kept or removed. */
function isSummaryChanged(
  before: Stored<Inventory> | undefined,
  after: Stored<Inventory> | undefined,
): boolean {
  const stateOf = (i: Stored<Inventory> | undefined) =>
    i && [
      i.metadata.annotations,
      i.metadata.deletionTimestamp,
      i.spec.released,
      i.spec.assigned === undefined,
      i.spec.clusterUid,
      unitSummary(i.spec.moduleRef, i),
    ]
  return before === after || !jsonEqual(stateOf(before) ?? null, stateOf(after) ?? null)
}

const clusterOfInventory = (i: Stored<Inventory>): ClusterKey[] =>
  isOfSet(i) ? [] : [clusterKey.of(i.metadata.namespace ?? '', i.spec.clusterRef.name)]

async function reconcile(key: ClusterKey, d: AssemblageDeps): Promise<ReconcileResult> {
  const orphans = await reconcileOrphans(d.orphans, key)
  if (!orphans.ok) return orphans
  const assemblage = d.hub.assemblages.store.get(key)
  if (!assemblage) {
    d.status.forget('assemblages', key)
    return soonest(orphans, await createAssemblage(d, key))
  }
  if (assemblage.spec.syncs) return dropFormerAssignments(d, assemblage)
  const written = await d.status.update('assemblages', assemblage, assemblageStatus(d, assemblage), {
    debounceMs: DEBOUNCE_MS,
    // Who a cluster is decides what is delivered to it.
    urgent: (before, after) => before?.clusterUid !== after.clusterUid,
    events: clusterEvents,
  })
  return soonest(written, orphans)
}

/** Creates the RemoteAssemblage of a cluster with units. Its event brings us back. */
async function createAssemblage(d: AssemblageDeps, key: ClusterKey): Promise<ReconcileResult> {
  const { namespace, name } = key
  const cluster = d.fleet.view(namespace, name)
  const isTaken = d.hub.foreign.store.get(key) !== undefined
  if (!cluster || isTaken || unitsOn(d, key).length === 0) return done
  const body: RemoteAssemblage = {
    apiVersion: API_VERSION,
    kind: remoteAssemblageKind.kind,
    metadata: { name, namespace, labels: { [BUCKET_LABEL]: bucketOf(namespace, name) } },
    spec: { clusterRef: { kind: cluster.kind, name } },
  }
  const made = await d.hub.own.create(remoteAssemblageKind, body, { purpose: 'record', manager: MANAGER })
  if (!made.ok) return failed(made.error)
  d.hub.assemblages.observeWrite(made.value)
  return done
}

/** Earlier versions kept the assignments of Modules here; they are in Inventories now. */
async function dropFormerAssignments(
  { hub }: AssemblageDeps,
  assemblage: Stored<RemoteAssemblage>,
): Promise<ReconcileResult> {
  const dropped = await hub.own.patch<RemoteAssemblage>(
    remoteAssemblageKind,
    keyOf(assemblage),
    { spec: { syncs: null } },
    { purpose: 'record', manager: MANAGER, precondition: assemblage.metadata },
  )
  if (!dropped.ok) return failed(dropped.error)
  hub.assemblages.observeWrite(dropped.value)
  return done
}

/** Units of Modules on a cluster. */
const unitsOn = (
  { hub }: Pick<AssemblageDeps, 'hub'>,
  cluster: Pick<ClusterKey, 'namespace' | 'name'>,
): Stored<Inventory>[] =>
  [...hub.inventories.store.by('cluster', `${cluster.namespace}/${cluster.name}`)].filter(
    (i) => !isOfSet(i) && i.spec.moduleRef.owner === undefined && !isOrphanedUnit(i, assignmentOf(i)),
  )

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
  const { fleet, env } = d
  const { namespace = '', name: cluster } = assemblage.metadata
  const view = fleet.view(namespace, cluster)
  const condition: ReportedCondition = view
    ? conditionOf(fleet, view, assemblage)
    : goneCondition(
        namespace,
        assemblage.spec.clusterRef,
        d.hub.inventories.store.by('cluster', keyText(assemblage.metadata)),
      )
  const { blocker } = condition
  const now = timestamp(env.clock.now())
  const units = unitsOn(d, { namespace, name: cluster })
    .map((i) => unitSummary(i.spec.moduleRef, i))
    .sort((a, b) => (`${a.kind}/${a.name}` < `${b.kind}/${b.name}` ? -1 : 1))
  const unready = units.filter((s) => s.state !== 'Ready')
  const ready = units.length - unready.length
  const isReady = condition.state === 'Connected' && unready.length === 0
  const [first] = unready
  const message =
    condition.message ||
    (first ? `${first.kind}/${first.name} is ${first.state}` : `${ready} of ${units.length} modules ready`)
  return {
    observedGeneration: assemblage.metadata.generation ?? 0,
    ...identityOf(d, assemblage, view),
    cluster: condition.state,
    ...(blocker === undefined ? {} : { blockers: keepSince([blocker], assemblage.status?.blockers, now) }),
    ready: `${ready}/${units.length}`,
    syncs: listed(units, unready),
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

/** Most units that a status lists: the object stays small, however much is on the cluster. */
const MOST_LISTED = 200

const listed = (units: readonly SyncStatus[], unready: readonly SyncStatus[]): SyncStatus[] =>
  units.length <= MOST_LISTED
    ? [...units]
    : [...unready, ...units.filter((u) => u.state === 'Ready')].slice(0, MOST_LISTED)

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
  const inventory = [...all].find((i) => i.spec.set === undefined && i.spec.clusterUid !== '')
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
