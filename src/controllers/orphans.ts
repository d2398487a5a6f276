/** What is left on the hub of clusters that are gone: kept for a while, in case they come back, and nothing is done by it. */
import type { Kind, Stored } from '../api/kind.ts'
import { BUCKET_LABEL, MANAGER, ORPHANED_ANNOTATION } from '../api/labels.ts'
import {
  type Inventory,
  inventoryKind,
  type RemoteAssemblage,
  remoteAssemblageKind,
} from '../api/registry.ts'
import { API_VERSION } from '../api/version.ts'
import { bucketOf, inventoryName } from '../deliver/names.ts'
import type { Outcome } from '../kube/queue.ts'
import { keyOf, parseTimestampMs, timestamp } from '../object/object.ts'
import type { Context } from './context.ts'
import { dropInventory } from './dropinventory.ts'
import { failedWrite } from './failedwrite.ts'
import { hubTime } from './hubtime.ts'

/** Timers of a process are no good for a month. */
const LOOK_AGAIN_MS = 3_600_000

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

/** What there is of one cluster. Undefined: it is there, and nothing was to be done. */
export async function tendOrphans(
  c: Context,
  namespace: string,
  cluster: string,
): Promise<Outcome | undefined> {
  const isThere = c.fleet.view(namespace, cluster) !== undefined
  const inventories = [...c.hub.inventories.store.by('cluster', `${namespace}/${cluster}`)]
  const assemblage = c.hub.assemblages.store.get({ namespace, name: cluster })
  for (const o of [...inventories, ...(assemblage ? [assemblage] : [])]) {
    const since = o.metadata.annotations?.[ORPHANED_ANNOTATION]
    const step = orphanStep(since, isThere, hubTime(c).nowMs, c.orphanRetentionMs)
    const done = await perform(c, o, step)
    if (!done.ok) return done
  }
  return isThere || (inventories.length === 0 && !assemblage)
    ? undefined
    : { ok: true, afterMs: LOOK_AGAIN_MS }
}

async function perform(
  c: Context,
  o: Stored<Inventory> | Stored<RemoteAssemblage>,
  step: OrphanStep,
): Promise<Outcome> {
  if (step === 'nothing' || step === 'keep') return { ok: true }
  const kind = (o.kind === inventoryKind.kind ? inventoryKind : remoteAssemblageKind) as Kind
  if (step !== 'remove') {
    const mark = step === 'mark' ? timestamp(hubTime(c).nowMs) : null
    const done = await c.hub.client.patch(
      kind,
      keyOf(o),
      { metadata: { annotations: { [ORPHANED_ANNOTATION]: mark } } },
      { why: 'inventory', manager: MANAGER, fence: fenceOf(o) },
    )
    return done.ok ? { ok: true } : failedWrite(c, done.error)
  }
  c.env.log.info(`${o.kind} ${o.metadata.namespace}/${o.metadata.name} goes: its cluster has not come back`)
  if (isInventory(o)) return dropInventory(c, o)
  const gone = await c.hub.client.delete(kind, keyOf(o), {
    why: 'record',
    manager: MANAGER,
    fence: fenceOf(o),
  })
  return gone.ok || gone.error.kind === 'NotFound' ? { ok: true } : failedWrite(c, gone.error)
}

const isInventory = (o: Stored<Inventory> | Stored<RemoteAssemblage>): o is Stored<Inventory> =>
  o.kind === inventoryKind.kind

const fenceOf = ({ metadata: { uid, resourceVersion } }: Stored) => ({ uid, resourceVersion })

/**
 * The name stands for another cluster now: what was delivered to the old one is written down under a name of its own,
 * beside which there is no cluster, and the way is free for the new one. First the copy, then the original goes.
 */
export async function setAside(c: Context, inventory: Stored<Inventory>): Promise<Outcome> {
  const { moduleRef, clusterRef, clusterUid, objects } = inventory.spec
  const namespace = inventory.metadata.namespace ?? ''
  const cluster = `${clusterRef.name}.${clusterUid.slice(0, 8)}`
  const body: Inventory = {
    apiVersion: API_VERSION,
    kind: inventoryKind.kind,
    metadata: {
      name: inventoryName({ kind: moduleRef.kind, namespace, name: moduleRef.name }, cluster),
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
  const made = await c.hub.client.create(inventoryKind, body, { why: 'inventory', manager: MANAGER })
  if (!made.ok && made.error.kind !== 'AlreadyExists') return failedWrite(c, made.error)
  return dropInventory(c, inventory)
}
