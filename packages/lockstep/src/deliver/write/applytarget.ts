/** Owner of an object that is written, and its known state before the write. */

import type { RequestError } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { defineKind, type KubeObject, keyOf, type ObjectReference, type Stored } from '@lockstep/kube/object'
import type { InventoryObject, ModuleSpec, WriteIntent } from '../../api/kinds/index.ts'
import type { Depth } from '../../decisions/order/index.ts'
import type { HolderDecision } from '../../decisions/ownership/index.ts'
import type { ClusterSession, LiveObject } from '../../fleet/connection/index.ts'
import type { OwnerMarks, UnitOf } from '../ownership/foreignunit.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { refusal, type WriteRefusal } from './refusals.ts'

export interface ObjectApplyTarget {
  /** Name of the cluster in the namespace of the unit. */
  readonly cluster: string
  readonly session: ClusterSession
  readonly unit: string
  /** Namespace of the unit. */
  readonly namespace: string
  readonly inventoryUid: string
  readonly unitOf: UnitOf
  /** Decision about an object of the bundle that another unit holds. */
  readonly holderDecision: (ref: ObjectReference, marks: OwnerMarks) => Promise<HolderDecision>
  readonly settings: Pick<
    ModuleSpec['apply'],
    'conflicts' | 'adopt' | 'adoptFrom' | 'takeOverFrom' | 'replaceImmutable'
  >
}

/** Known state of an object before it is written. */
export interface ObjectBeforeWrite {
  /** As it was applied last. */
  readonly entry: InventoryObject | undefined
  readonly live: LiveObject | undefined
  readonly intent: WriteIntent | undefined
  readonly depth: Depth
}

/** An object with our label and nothing else of ours is external: it is treated like an unknown object. */
export const isOurs = (
  target: ObjectApplyTarget,
  live: LiveObject | undefined,
  entry: InventoryObject | undefined,
): boolean => {
  if (live === undefined || live.inventory === target.inventoryUid) return live !== undefined
  // An entry of an object that has changed hands is not recorded as gone while the unit insists on it, too.
  return live.uid === entry?.uid && (live.unit === undefined || live.unit === target.unit)
}

/** A server's answer under the name by which it was asked. */
export const typed = (o: Stored, { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): Stored => ({
  ...o,
  apiVersion,
  kind,
})

/** A refused request for an object of the unit. */
export const refusedWrite = (
  { cluster }: Pick<ObjectApplyTarget, 'cluster'>,
  { ref, object, fromSecret }: DesiredObject,
  error: RequestError,
): WriteRefusal => refusal(error, { ref, object, cluster, ...(fromSecret ? { fromSecret } : {}) })

/** The object on the server; undefined if it does not exist. */
export async function readObject(
  target: ObjectApplyTarget,
  d: DesiredObject,
): Promise<Result<Stored | undefined, WriteRefusal>> {
  const kind = defineKind(d.resource!)
  const found = await target.session.client.get(kind, keyOf(d.object), { purpose: 'reread' })
  if (found.ok) return ok(typed(found.value, d.object))
  return found.error.kind === 'NotFound' ? ok(undefined) : err(refusedWrite(target, d, found.error))
}
