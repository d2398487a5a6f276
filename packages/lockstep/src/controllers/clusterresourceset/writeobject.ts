/** One object of a ClusterResourceSet is written to a cluster. */

import type { KubeClient, KubeResult, RequestError, ServedResource } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  defineKind,
  type JsonValue,
  jsonEqual,
  type Kind,
  type KubeObject,
  keyOf,
  mergePatchBetween,
  parseApiVersion,
  parseTimestampMs,
  refOf,
  refText,
  type Stored,
} from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { MANAGER, UNIT_LABEL } from '../../api/labels.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import { objectRef } from '../../decisions/graph/index.ts'
import type { SetWrite } from '../../deliver/modes/index.ts'
import { ownedBlocker } from '../../deliver/ownership/index.ts'
import { markedBody } from '../../deliver/plan/index.ts'
import type { LookupQuery } from '../../deliver/state/index.ts'
import { lossOf, refusal, type WriteRefusal } from '../../deliver/write/index.ts'
import { type ClusterSession, liveObjectOf } from '../../fleet/connection/index.ts'
import { completeOwnerTransfer, type OwnerTransferResult } from './ownertransfer.ts'

export interface SetTarget {
  /** Name of the cluster in the namespace of the set. */
  readonly cluster: string
  readonly session: ClusterSession
  readonly write: SetWrite
  /** It may be there: it is looked at first. */
  readonly isKnown: boolean
  /** What is there since then may have been created by us, without an answer or a word about it; undefined: it was not. */
  readonly begunMs: number | undefined
  /** The request that Cluster API would send, instead of a server-side apply. */
  readonly isMergePatch: boolean
  /** Where a field cannot change, the object is deleted and made anew. */
  readonly isReplaced: boolean
  /** What is put on an object that is looked after; undefined: it is never touched again. */
  readonly marks: { readonly unit: string; readonly inventoryUid: string } | undefined
  /** Whether an object belongs to another unit, by its label. */
  readonly isOfAnother: (unit: string) => boolean
  /** Its source is a Secret: nobody repeats what is in it. */
  readonly fromSecret: boolean
  /** The set, and its cluster, are ours to work on. */
  readonly mayWrite: () => boolean
}

/** Why an object was not written. */
export interface SetFailure extends WriteRefusal {
  /** It may be written all the same: the answer was lost. */
  readonly isUnsure?: true
  /** What it lacks there: once that has come it is worth another try. */
  readonly lacks?: LookupQuery
}

const CALL = { purpose: 'apply', manager: MANAGER } as const

/** What is there already is success, or a failure, as it is asked. */
export async function writeSetObject(
  target: SetTarget,
  manifest: KubeObject,
): Promise<Result<OwnerTransferResult, SetFailure>> {
  const resource = await servedFor(target, manifest)
  if (!resource.ok) return resource
  const problem = scopeProblem(target, manifest, resource.value)
  if (problem) return err(problem)
  const { marks } = target
  const body = marks ? markedBody(manifest, marks.unit, marks.inventoryUid, undefined) : manifest
  const found = await lookAt(target, resource.value, body)
  if (!found.ok) return err(withLack(failureIn(target, found.error, manifest), found.error, manifest))
  const left = found.value && leftAlone(target, found.value, manifest)
  if (left) return left
  const done = await request(target, resource.value, body, found.value)
  if (done.ok) return ok(done.value)
  if (isThere(done.error) && !found.value) return meet(target, manifest, resource.value, body)
  const failure = failureIn(target, done.error, manifest)
  return failure.reason === 'ImmutableField'
    ? immutable(target, resource.value, body, immutableFields(done.error))
    : err(withLack(failure, done.error, manifest))
}

/** Something is there where nothing was believed to be. */
const isThere = ({ kind }: RequestError): boolean => kind === 'AlreadyExists' || kind === 'FenceLost'

/** What is created was there already. */
async function meet(
  target: SetTarget,
  manifest: KubeObject,
  resource: ServedResource,
  body: KubeObject,
): Promise<Result<OwnerTransferResult, SetFailure>> {
  if (target.write === 'CreateOrKeep') return ok(ALONE)
  if (target.write !== 'CreateOrFail') return writeSetObject({ ...target, isKnown: true }, manifest)
  const { begunMs } = target
  if (begunMs === undefined) return err(existsFailure(target, manifest))
  const live = await readLive(target, resource, body)
  if (!live.ok) return err(failureIn(target, live.error, body))
  return live.value && isCreated(live.value, begunMs) ? ok(ALONE) : err(existsFailure(target, manifest))
}

/** Clocks of hubs and clusters differ by at most so much. */
const SKEW_MS = 300_000

/** By us, and not before that: another set that is applied once has no marks on its objects either. */
const isCreated = (live: Stored, sinceMs: number): boolean =>
  hasWritten(live) && (parseTimestampMs(live.metadata.creationTimestamp ?? '') ?? 0) >= sinceMs - SKEW_MS

const existsFailure = (target: SetTarget, manifest: KubeObject): SetFailure => ({
  ...blocked('ObjectExists', [objectOn(target, manifest)], {}),
  transient: true,
})

/** The object on the cluster, as facts refer to it. */
const objectOn = ({ cluster }: SetTarget, { apiVersion, kind, metadata }: KubeObject): WaitRefOf<'Object'> =>
  objectRef({ apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? '' }, cluster)

/** What is to be applied, as it is there; undefined: nothing is, or is believed to be. */
const lookAt = async (
  target: SetTarget,
  resource: ServedResource,
  body: KubeObject,
): Promise<KubeResult<Stored | undefined>> =>
  target.isKnown && target.write.startsWith('Apply') ? readLive(target, resource, body) : ok(undefined)

async function readLive(
  { session }: SetTarget,
  resource: ServedResource,
  body: KubeObject,
): Promise<KubeResult<Stored | undefined>> {
  const live = await session.client.get<KubeObject>(defineKind(resource), keyOf(body), { purpose: 'reread' })
  return live.ok || live.error.kind !== 'NotFound' || live.error.namespace !== undefined
    ? live
    : ok(undefined)
}

/** What is there is another unit's, or was there before the set; undefined: it becomes what the set has. */
function leftAlone(
  target: SetTarget,
  live: Stored,
  manifest: KubeObject,
): Result<OwnerTransferResult, SetFailure> | undefined {
  const unit = live.metadata.labels?.[UNIT_LABEL]
  if (unit !== undefined && target.isOfAnother(unit)) {
    const owned = ownedBlocker(objectOn(target, manifest), { unit, inventory: undefined })
    return err({ ...owned, transient: true })
  }
  if (target.write === 'Apply' || unit !== undefined || hasWritten(live)) return undefined
  return target.write === 'ApplyOrKeep' ? ok(ALONE) : err(existsFailure(target, manifest))
}

/** Some of it was written by us, whether or not it has our marks: those of ApplyOnce have none. */
const hasWritten = ({ metadata: { managedFields = [] } }: Stored): boolean =>
  managedFields.some((f) => f.manager === MANAGER)

function withLack(failure: WriteRefusal, error: RequestError, manifest: KubeObject): SetFailure {
  if (error.kind === 'KindUnknown') return { ...failure, lacks: kindOf(manifest) }
  if (error.kind !== 'NotFound' || error.namespace === undefined)
    return error.wrote === 'maybe' ? { ...failure, isUnsure: true } : failure
  return { ...failure, lacks: { group: '', version: 'v1', kind: 'Namespace', name: error.namespace } }
}

const kindOf = ({ apiVersion, kind }: KubeObject): LookupQuery => ({ ...parseApiVersion(apiVersion), kind })

const failureIn = (
  { fromSecret, cluster }: SetTarget,
  error: RequestError,
  manifest: KubeObject,
): WriteRefusal =>
  refusal(error, { ref: refOf(manifest), object: manifest, cluster, ...(fromSecret ? { fromSecret } : {}) })

/** Nothing of others was looked for. */
const ALONE: OwnerTransferResult = { remains: false }

async function request(
  target: SetTarget,
  resource: ServedResource,
  body: KubeObject,
  live: Stored | undefined,
): Promise<KubeResult<OwnerTransferResult>> {
  const { client } = target.session
  const kind = defineKind(resource)
  if (!target.write.startsWith('Apply')) return alone(await client.create(kind, body, CALL))
  if (target.isMergePatch) return alone(await mergePatch(client, kind, body, live))
  // What is not there is only created: whose it is that comes up meanwhile has to be looked at.
  const fence = live ? 'any' : 'absent'
  const apply = (on: typeof fence) => client.apply(kind, body, { ...CALL, force: true, precondition: on })
  const done = await apply(fence)
  // What is never touched again has no owners that matter.
  if (!done.ok || !target.marks) return alone(done)
  return completeOwnerTransfer({ client, mayWrite: target.mayWrite }, resource, body, done.value, () =>
    apply('any'),
  )
}

const alone = (done: KubeResult<unknown>): KubeResult<OwnerTransferResult> =>
  done.ok ? { ok: true, value: ALONE } : done

/** The request that Cluster API would send. */
async function mergePatch(
  client: KubeClient,
  kind: Kind,
  body: KubeObject,
  live: Stored | undefined,
): Promise<KubeResult<unknown>> {
  if (!live) return client.create(kind, body, CALL)
  const { resourceVersion } = live.metadata
  const asked = { ...body, metadata: { ...body.metadata, resourceVersion } }
  const patch = mergePatchBetween(live as unknown as JsonValue, asked as unknown as JsonValue)
  return jsonEqual(patch, {})
    ? ok(live)
    : client.patch(kind, keyOf(body), patch, { ...CALL, precondition: 'any' })
}

/** By the names of the fields: a server repeats their values, and a condition has no room for them. */
function immutableFields(error: RequestError): string {
  const fields = error.kind === 'Invalid' ? error.causes.map((c) => `.${c.field}`) : []
  return `${fields.join(', ') || 'a field'} is immutable`
}

/** Tried once: no time helps. Made anew only where that is asked for, and where nothing is lost with it. */
async function immutable(
  target: SetTarget,
  resource: ServedResource,
  body: KubeObject,
  error: string,
): Promise<Result<OwnerTransferResult, WriteRefusal>> {
  const { client } = target.session
  const on = [objectOn(target, body)] as const
  const refused = (blocker: NewBlocker): Result<OwnerTransferResult, WriteRefusal> =>
    err({ ...blocker, transient: false })
  if (!target.isReplaced) return refused(blocked('ImmutableField', on, { error, next: 'Allow' }))
  const kind = defineKind(resource)
  const live = await client.get(kind, keyOf(body), { purpose: 'reread' })
  if (!live.ok) return err(failureIn(target, live.error, body))
  const loss = lossOf(refOf(body), liveObjectOf(live.value))
  if (loss !== undefined) return refused(blocked('ReplaceRefused', on, { error, because: 'Loss', loss }))
  const { uid, resourceVersion } = live.value.metadata
  const gone = await client.delete(kind, keyOf(body), {
    purpose: 'replace',
    manager: MANAGER,
    propagation: 'Background',
    precondition: { uid, resourceVersion },
  })
  if (!gone.ok && gone.error.kind !== 'NotFound') return err(failureIn(target, gone.error, body))
  const made = await client.create(kind, body, CALL)
  if (made.ok) return ok(ALONE)
  if (made.error.kind !== 'AlreadyExists') return err(failureIn(target, made.error, body))
  const terminating = blocked('FinalizerPending', on, { next: 'Recreate', finalizers: [] })
  return err({ ...terminating, transient: true })
}

/** A kind that is not known may have come since: asked for once more. */
async function servedFor(
  target: SetTarget,
  manifest: KubeObject,
): Promise<Result<ServedResource, SetFailure>> {
  const { session } = target
  const { apiVersion, kind } = manifest
  const { group } = refOf(manifest)
  const { version } = parseApiVersion(apiVersion)
  const known = session.served(group, kind, version)
  if (known) return ok(known)
  await session.discover()
  const found = session.served(group, kind, version)
  if (found) return ok(found)
  const unserved = blocked('KindNotServed', [objectOn(target, manifest)], {
    apiVersion,
    kind,
    action: 'Apply',
  })
  return err({ ...unserved, transient: true, lacks: kindOf(manifest) })
}

function scopeProblem(
  target: SetTarget,
  manifest: KubeObject,
  { namespaced }: ServedResource,
): WriteRefusal | undefined {
  if (!namespaced || (manifest.metadata.namespace ?? '') !== '') return undefined
  const facts = { object: refText(refOf(manifest)), problem: 'metadata.namespace is missing; add it' }
  return { ...blocked('InvalidObject', [objectOn(target, manifest)], facts), transient: false }
}
