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
  type ObjectReference,
  parseApiVersion,
  parseTimestampMs,
  refOf,
  refText,
  type Stored,
} from '@lockstep/kube/object'
import { MANAGER, UNIT_LABEL } from '../../api/labels.ts'
import { lossText } from '../../api/reasons/index.ts'
import type { SetWrite } from '../../deliver/modes/index.ts'
import { markedBody } from '../../deliver/plan/index.ts'
import type { LookupQuery } from '../../deliver/state/index.ts'
import { lossOf, refusal, type WriteRefusal } from '../../deliver/write/index.ts'
import { type ClusterSession, liveObjectOf } from '../../fleet/connection/index.ts'
import { completeOwnerTransfer, type OwnerTransferResult } from './ownertransfer.ts'

export interface SetTarget {
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
  /** Whose an object is by its label; undefined: the set's, or nobody's any more. */
  readonly ownerOf: (unit: string) => string | undefined
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
  const ref = refOf(manifest)
  const resource = await servedFor(target.session, manifest, ref)
  if (!resource.ok) return resource
  const problem = scopeProblem(manifest, ref, resource.value)
  if (problem) return err(problem)
  const { marks } = target
  const body = marks ? markedBody(manifest, marks.unit, marks.inventoryUid, undefined) : manifest
  const found = await lookAt(target, resource.value, body)
  if (!found.ok) return err(withLack(failureIn(target, found.error, ref), found.error, manifest))
  const left = found.value && leftAlone(target, found.value, ref)
  if (left) return left
  const done = await request(target, resource.value, body, found.value)
  if (done.ok) return ok(done.value)
  if (isThere(done.error) && !found.value) return meet(target, manifest, resource.value, body)
  const failure = failureIn(target, done.error, ref)
  return failure.reason === 'ImmutableField'
    ? immutable(target, resource.value, body, immutableText(ref, done.error))
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
  const ref = refOf(manifest)
  if (target.write === 'CreateOrKeep') return ok(ALONE)
  if (target.write !== 'CreateOrFail') return writeSetObject({ ...target, isKnown: true }, manifest)
  const { begunMs } = target
  if (begunMs === undefined) return err(existsFailure(ref))
  const live = await readLive(target, resource, body)
  if (!live.ok) return err(failureIn(target, live.error, ref))
  return live.value && isCreated(live.value, begunMs) ? ok(ALONE) : err(existsFailure(ref))
}

/** Clocks of hubs and clusters differ by at most so much. */
const SKEW_MS = 300_000

/** By us, and not before that: another set that is applied once has no marks on its objects either. */
const isCreated = (live: Stored, sinceMs: number): boolean =>
  hasWritten(live) && (parseTimestampMs(live.metadata.creationTimestamp ?? '') ?? 0) >= sinceMs - SKEW_MS

function existsFailure(ref: ObjectReference): SetFailure {
  const message = `${refText(ref)} exists`
  return { reason: 'ObjectExists', message, transient: true }
}

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
  ref: ObjectReference,
): Result<OwnerTransferResult, SetFailure> | undefined {
  const unit = live.metadata.labels?.[UNIT_LABEL]
  const owner = unit === undefined ? undefined : target.ownerOf(unit)
  if (owner !== undefined) {
    const message = `${refText(ref)} belongs to ${owner}; take it out of one of the two`
    return err({ reason: 'OwnedByAnother', message, transient: true })
  }
  if (target.write === 'Apply' || unit !== undefined || hasWritten(live)) return undefined
  return target.write === 'ApplyOrKeep' ? ok(ALONE) : err(existsFailure(ref))
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

const failureIn = ({ fromSecret }: SetTarget, error: RequestError, ref: ObjectReference): WriteRefusal =>
  refusal(error, { ref, ...(fromSecret ? { fromSecret } : {}) })

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

/** By the names of the fields: a server repeats all that is in them. */
function immutableText(ref: ObjectReference, error: RequestError): string {
  const fields = error.kind === 'Invalid' ? error.causes.map((c) => `.${c.field}`) : []
  return `${refText(ref)}: ${fields.join(', ') || 'a field'} is immutable`
}

/** Tried once: no time helps. Made anew only where that is asked for, and where nothing is lost with it. */
async function immutable(
  target: SetTarget,
  resource: ServedResource,
  body: KubeObject,
  text: string,
): Promise<Result<OwnerTransferResult, WriteRefusal>> {
  const { client } = target.session
  const ref = refOf(body)
  const said = (what: string): Result<OwnerTransferResult, WriteRefusal> =>
    err({ reason: 'ImmutableField', message: `${text}; ${what}`, transient: false })
  if (!target.isReplaced) return said('set lockstep.dev/replace-immutable: "true" or rename it')
  const kind = defineKind(resource)
  const live = await client.get(kind, keyOf(body), { purpose: 'reread' })
  if (!live.ok) return err(failureIn(target, live.error, ref))
  const loss = lossOf(ref, liveObjectOf(live.value))
  if (loss !== undefined) return said(`not recreated: ${lossText(loss)}; rename it`)
  const { uid, resourceVersion } = live.value.metadata
  const gone = await client.delete(kind, keyOf(body), {
    purpose: 'replace',
    manager: MANAGER,
    propagation: 'Background',
    precondition: { uid, resourceVersion },
  })
  if (!gone.ok && gone.error.kind !== 'NotFound') return err(failureIn(target, gone.error, ref))
  const made = await client.create(kind, body, CALL)
  if (made.ok) return ok(ALONE)
  if (made.error.kind !== 'AlreadyExists') return err(failureIn(target, made.error, ref))
  const message = `${refText(ref)} is terminating; recreated when deletion completes`
  return err({ reason: 'FinalizerPending', message, transient: true })
}

/** A kind that is not known may have come since: asked for once more. */
async function servedFor(
  session: ClusterSession,
  manifest: KubeObject,
  ref: ObjectReference,
): Promise<Result<ServedResource, SetFailure>> {
  const { apiVersion } = manifest
  const { version } = parseApiVersion(apiVersion)
  const known = session.served(ref.group, ref.kind, version)
  if (known) return ok(known)
  await session.discover()
  const found = session.served(ref.group, ref.kind, version)
  if (found) return ok(found)
  const message = `${refText(ref)}: the cluster does not serve ${ref.kind} of ${apiVersion}`
  return err({ reason: 'KindNotServed', message, transient: true, lacks: kindOf(manifest) })
}

function scopeProblem(
  o: KubeObject,
  ref: ObjectReference,
  { namespaced }: ServedResource,
): WriteRefusal | undefined {
  if (!namespaced || (o.metadata.namespace ?? '') !== '') return undefined
  const message = `${refText(ref)} has no metadata.namespace; add one`
  return { reason: 'InvalidObject', message, transient: false }
}
