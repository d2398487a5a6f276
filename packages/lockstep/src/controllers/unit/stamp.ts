/** The stamp of a unit on its cluster: looked at before the first write there, written once an admission that changes content. */

import { isTransient, type RequestError, requestErrorText } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import type { ConfigMap } from '@lockstep/kube/kinds'
import { keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { NewBlocker } from '../../api/blocker.ts'
import { type Inventory, inventoryKind } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { records } from '../../api/records.ts'
import {
  judgeStamp,
  readStamp,
  type Stamp,
  stampBlocker,
  stampKey,
  stampObject,
} from '../../deliver/step/index.ts'
import { failed, requeueAfter } from '../runtime/index.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'

const READ = { purpose: 'stamp' } as const
const WRITE = { purpose: 'stamp', manager: MANAGER } as const

export type Stamped =
  /** The cluster may be written to. */
  | { readonly type: 'go' }
  /** Nothing may be written there until a person has decided. */
  | { readonly type: 'held'; readonly blocker: NewBlocker }
  /** Not known yet; `error`: of the cluster. */
  | { readonly type: 'again'; readonly outcome: ReconcileResult; readonly error?: RequestError }

const GO: Stamped = { type: 'go' }
const SOON: Stamped = { type: 'again', outcome: requeueAfter(50) }

/**
 * Before a write to the cluster. `contentDigest`: of what is about to be delivered; undefined in a removal, which is no new
 * content and writes no stamp. Costs nothing while this process has seen the stamp of this content.
 */
export async function stamp(
  c: UnitDeps,
  scope: UnitScope,
  contentDigest: string | undefined,
): Promise<Stamped> {
  const { inventory, memory } = scope
  const { admitted } = inventory.spec
  if (!admitted || memory.stamp?.serial === admitted.contentSerial) return GO
  const hub = await c.content.stampStore.hub()
  if (!hub.ok) return { type: 'again', outcome: { ok: false } }
  const serial = admitted.contentSerial
  const ours: Stamp = {
    inventory: inventory.metadata.uid,
    serial,
    contentDigest: contentDigest ?? '',
    revision: admitted.revision,
    hub: hub.value,
  }
  const known = memory.stamp?.refused === undefined ? memory.stamp : undefined
  const found = known ? ok(known.found) : await findStamp(scope)
  if (!found.ok) return refused(scope, serial, found.error)
  const theirs = found.value && readStamp(found.value)
  const verdict = judgeStamp(ours, theirs)
  if (verdict === 'newer' || verdict === 'foreign') return held(c, scope, verdict, theirs!)
  if (verdict === 'older' && contentDigest !== undefined) return write(c, scope, ours, found.value)
  memory.stamp = { serial, found: found.value, refused: undefined }
  return GO
}

/** The stamp on the cluster; undefined: there is none. */
export async function findStamp({
  session,
  label,
}: Pick<UnitScope, 'session' | 'label'>): Promise<Result<Stored<ConfigMap> | undefined, RequestError>> {
  const found = await session.records.get(records.stamp, stampKey(label), READ)
  return !found.ok && found.error.kind === 'NotFound' ? ok(undefined) : found
}

async function write(
  c: UnitDeps,
  scope: UnitScope,
  ours: Stamp,
  before: Stored<ConfigMap> | undefined,
): Promise<Stamped> {
  const { session, memory, label } = scope
  const body = stampObject(label, ours)
  if (!before) {
    const furnished = await c.content.stampStore.furnish(session)
    if (!furnished.ok) return refused(scope, ours.serial, furnished.error)
  }
  const done = await (before
    ? session.records.update(
        records.stamp,
        { ...body, metadata: { ...before.metadata, ...body.metadata } },
        WRITE,
      )
    : session.records.create(records.stamp, body, WRITE))
  if (done.ok) {
    memory.stamp = { serial: ours.serial, found: done.value, refused: undefined }
    return GO
  }
  if (done.error.kind === 'NotFound') c.content.stampStore.lost(session)
  return refused(scope, ours.serial, done.error)
}

/** A cluster that lets us keep no stamp is delivered to all the same; that is said. */
function refused({ memory }: UnitScope, serial: number, error: RequestError): Stamped {
  memory.stamp = undefined
  if (error.kind === 'FenceLost' || error.kind === 'AlreadyExists' || error.kind === 'NotFound') return SOON
  if (isTransient(error)) return { type: 'again', outcome: failed(error, 'stamp'), error }
  memory.stamp = { serial, found: undefined, refused: requestErrorText(error) }
  return GO
}

/** A cache that is behind knows less than its own hub: only what the hub itself says counts. */
export async function held(
  c: UnitDeps,
  { inventory, memory, cluster, label }: UnitScope,
  verdict: 'newer' | 'foreign',
  theirs: Stamp,
): Promise<Stamped> {
  memory.stamp = undefined
  const live = await c.hub.own.get<Inventory>(inventoryKind, keyOf(inventory), { purpose: 'stamp' })
  if (!live.ok) return live.error.kind === 'NotFound' ? SOON : { type: 'again', outcome: { ok: false } }
  c.hub.inventories.observeWrite(live.value)
  const knows = live.value.spec.admitted?.contentSerial ?? 0
  const isBehind =
    verdict === 'newer' && theirs.inventory === inventory.metadata.uid && theirs.serial <= knows
  if (isBehind || live.value.metadata.uid !== inventory.metadata.uid) return SOON
  const { uid } = inventory.metadata
  return { type: 'held', blocker: stampBlocker(verdict, { label, cluster, knows, inventory: uid, theirs }) }
}

/** The last of a unit on its cluster. False: it may still be there. */
export async function removeStamp(scope: UnitScope): Promise<boolean> {
  const { session, label, inventory, memory } = scope
  const key = stampKey(label)
  const known = memory.stamp?.found
  memory.stamp = undefined
  const found = known ? ok(known) : await findStamp(scope)
  if (!found.ok) return !isTransient(found.error)
  if (!found.value || readStamp(found.value)?.inventory !== inventory.metadata.uid) return true
  const { uid, resourceVersion } = found.value.metadata
  const gone = await session.records.delete(records.stamp, key, {
    ...WRITE,
    precondition: { uid, resourceVersion },
  })
  // Another process has written it: the next look reads it.
  if (!gone.ok && gone.error.kind === 'FenceLost') return false
  return gone.ok || !isTransient(gone.error)
}
