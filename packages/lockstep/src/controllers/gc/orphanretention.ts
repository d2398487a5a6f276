/** What is left on the hub of clusters that are gone: kept for a while, in case they come back, and nothing is done by it. */

import { keyOf, parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { API_VERSION } from '../../api/apiversion.ts'
import { mergeConditions } from '../../api/conditions.ts'
import {
  type Inventory,
  inventoryKind,
  type RemoteAssemblage,
  remoteAssemblageKind,
} from '../../api/kinds/index.ts'
import { BUCKET_LABEL, MANAGER, ORPHANED_ANNOTATION } from '../../api/labels.ts'
import type { RecordKind } from '../../api/records.ts'
import { bucketOf, inventoryName, refOfInventory } from '../../deliver/plan/index.ts'
import { isOrphanedUnit } from '../../deliver/step/index.ts'
import { assignmentOf, type HubInformers } from '../cache/index.ts'
import { type ClusterKey, done, failed, type HubClockDeps, hubTime, requeueAfter } from '../runtime/index.ts'
import { dropInventory } from './dropinventory.ts'
import type { OrphanDeps } from './orphandeps.ts'

/** Timers of a process are no good for a month. */
const LOOK_AGAIN_MS = 3_600_000

/** Time after which a deleted Inventory of a deleted cluster goes: after a start the clusters may be read late. */
const DELETED_RETENTION_MS = 60_000

/** 30 days. */
export const ORPHAN_RETENTION_MS = 30 * 24 * LOOK_AGAIN_MS

export type OrphanStep = 'mark' | 'unmark' | 'remove' | 'keep' | 'nothing'

/** Pure. `since`: the mark that it has; times in milliseconds since the epoch. */
export function orphanStep(
  since: string | undefined,
  isThere: boolean,
  nowMs: number,
  retentionMs: number,
): OrphanStep {
  if (isThere) return since === undefined ? 'nothing' : 'unmark'
  if (since === undefined) return 'mark'
  const sinceMs = parseTimestampMs(since)
  // A mark that says nothing is made anew.
  if (sinceMs === undefined) return 'mark'
  return nowMs - sinceMs >= retentionMs ? 'remove' : 'keep'
}

/** What there is of one cluster: kept, marked or dropped. */
export async function reconcileOrphans(
  c: OrphanDeps,
  { namespace, name: cluster }: ClusterKey,
): Promise<ReconcileResult> {
  const isThere = c.fleet.view(namespace, cluster) !== undefined
  const inventories = [...c.hub.inventories.store.by('cluster', `${namespace}/${cluster}`)]
  const assemblage = c.hub.assemblages.store.get({ namespace, name: cluster })
  const given = new Set<Stored>(inventories.filter((i) => isOrphanedUnit(i, assignmentOf(i))))
  let isDeleted = false
  for (const o of [...inventories, ...(assemblage ? [assemblage] : [])]) {
    const since = o.metadata.annotations?.[ORPHANED_ANNOTATION]
    const isGiven = given.has(o)
    // What was given up is nobody's: whoever deletes its Inventory gets that.
    const isUnwanted = isGiven && o.metadata.deletionTimestamp !== undefined
    const isDropped = !isThere && isInventory(o) && isDeletedAlone(c, o)
    if (isDropped) isDeleted = true
    const retentionMs = isDropped ? DELETED_RETENTION_MS : c.orphanRetentionMs
    const step = isUnwanted ? 'remove' : orphanStep(since, isThere && !isGiven, hubTime(c).nowMs, retentionMs)
    const performed = await perform(c, o, step)
    if (!performed.ok) return performed
    if (isGiven && step !== 'remove') {
      const said = await sayGivenUp(c, o as Stored<Inventory>)
      if (!said.ok) return said
    }
  }
  const isLeft = given.size > 0 || (!isThere && (inventories.length > 0 || assemblage !== undefined))
  return isLeft ? requeueAfter(isDeleted ? DELETED_RETENTION_MS : LOOK_AGAIN_MS) : done
}

/** What it said as a unit holds no more. */
async function sayGivenUp(c: OrphanDeps, known: Stored<Inventory>): Promise<ReconcileResult> {
  // The mark may have been written just now.
  const inventory = c.hub.inventories.store.get(keyOf(known)) ?? known
  if (inventory.status?.state === 'Orphaned') return done
  const { objects, clusterRef } = inventory.spec
  const message = `its Module was deleted and ${clusterRef.name} is orphaned: ${objects?.length ?? 0} objects stay`
  const reason = 'Orphaned'
  const conditions = mergeConditions(
    inventory.status?.conditions,
    [
      { type: 'Ready', status: 'False', reason, message },
      { type: 'Reconciling', status: 'False', reason, message: '' },
      { type: 'Stalled', status: 'False', reason, message: '' },
    ],
    timestamp(c.env.clock.now()),
  )
  return c.status.update('inventories', inventory, { state: 'Orphaned', conditions })
}

async function perform(
  c: OrphanDeps,
  o: Stored<Inventory> | Stored<RemoteAssemblage>,
  step: OrphanStep,
): Promise<ReconcileResult> {
  if (step === 'nothing' || step === 'keep') return done
  const kind = (o.kind === inventoryKind.kind ? inventoryKind : remoteAssemblageKind) as RecordKind
  if (step !== 'remove') {
    const mark = step === 'mark' ? timestamp(hubTime(c).nowMs) : null
    const marked = await c.hub.own.patch(
      kind,
      keyOf(o),
      { metadata: { annotations: { [ORPHANED_ANNOTATION]: mark } } },
      { purpose: 'inventory', manager: MANAGER, precondition: fenceOf(o) },
    )
    if (!marked.ok) return failed(marked.error)
    if (isInventory(o)) c.hub.inventories.observeWrite(marked.value as Stored<Inventory>)
    return done
  }
  c.env.log.info('deletes the records of a cluster that has not come back', {
    reason: 'ClusterGone',
    object: `${o.kind} ${o.metadata.namespace}/${o.metadata.name}`,
  })
  if (isInventory(o)) return dropInventory(c, o)
  const gone = await c.hub.own.delete(kind, keyOf(o), {
    purpose: 'record',
    manager: MANAGER,
    precondition: fenceOf(o),
  })
  return gone.ok || gone.error.kind === 'NotFound' ? done : failed(gone.error)
}

const isInventory = (o: Stored<Inventory> | Stored<RemoteAssemblage>): o is Stored<Inventory> =>
  o.kind === inventoryKind.kind

/** By a person, who keeps its Module: with its Module, or their Namespace, it goes as that decides. */
function isDeletedAlone({ hub }: OrphanDeps, inventory: Stored<Inventory>): boolean {
  const module = hub.module(refOfInventory(inventory))
  const isKept = module !== undefined && module.metadata.deletionTimestamp === undefined
  return isKept && inventory.metadata.deletionTimestamp !== undefined
}

const fenceOf = ({ metadata: { uid, resourceVersion } }: Stored) => ({ uid, resourceVersion })

/**
 * The name stands for another cluster now: what was delivered to the old one is written down under a name of its own,
 * beside which there is no cluster, and the way is free for the new one. First the copy, then the original goes.
 */
export async function quarantineInventory(
  c: HubClockDeps & { readonly hub: HubInformers },
  inventory: Stored<Inventory>,
): Promise<ReconcileResult> {
  const { moduleRef, clusterRef, clusterUid, objects } = inventory.spec
  const namespace = inventory.metadata.namespace ?? ''
  const cluster = `${clusterRef.name}.${clusterUid.slice(0, 8)}`
  const body: Inventory = {
    apiVersion: API_VERSION,
    kind: inventoryKind.kind,
    metadata: {
      name: inventoryName(refOfInventory(inventory), cluster),
      namespace,
      labels: { [BUCKET_LABEL]: bucketOf(namespace, cluster) },
      annotations: { [ORPHANED_ANNOTATION]: timestamp(hubTime(c).nowMs) },
    },
    spec: {
      moduleRef,
      clusterRef: { ...clusterRef, name: cluster },
      clusterUid,
      ...(objects ? { objects } : {}),
    },
  }
  const made = await c.hub.own.create(inventoryKind, body, { purpose: 'inventory', manager: MANAGER })
  if (!made.ok && made.error.kind !== 'AlreadyExists') return failed(made.error)
  return dropInventory(c, inventory)
}
