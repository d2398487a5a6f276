/** One object of a ClusterResourceSet is written to a cluster. */
import { defineKind, type Kind, type Stored } from '../../api/kind.ts'
import { MANAGER } from '../../api/labels.ts'
import { markedBody } from '../../deliver/desired.ts'
import type { Sought } from '../../deliver/outside.ts'
import { failureFor, type WriteFailure } from '../../deliver/refused.ts'
import { lossOf } from '../../deliver/replace.ts'
import type { SetWrite } from '../../deliver/sets/work.ts'
import { err, ok, type Result } from '../../env/result.ts'
import { liveOf } from '../../fleet/live.ts'
import type { ClusterSession } from '../../fleet/session.ts'
import type { KubeClient, KubeResult, ServedResource } from '../../kube/client.ts'
import type { KubeError } from '../../kube/error.ts'
import {
  type JsonValue,
  jsonEqual,
  type KubeObject,
  keyOf,
  mergePatchBetween,
  parseApiVersion,
  type Ref,
  refOf,
  refText,
} from '../../object/object.ts'
import { type Settled, settleOwners } from './settleowners.ts'

export interface SetTarget {
  readonly session: ClusterSession
  readonly write: SetWrite
  /** The request that Cluster API would send, instead of a server-side apply. */
  readonly isMergePatch: boolean
  /** Where a field cannot change, the object is deleted and made anew. */
  readonly isReplaced: boolean
  /** What is put on an object that is looked after; undefined: it is never touched again. */
  readonly marks: { readonly unit: string; readonly inventoryUid: string } | undefined
  /** Its source is a Secret: nobody repeats what is in it. */
  readonly fromSecret: boolean
  /** The set, and its cluster, are ours to work on. */
  readonly mayWrite: () => boolean
}

/** Why an object was not written. */
export interface SetFailure extends WriteFailure {
  /** What it lacks there: once that has come it is worth another try. */
  readonly lacks?: Sought
}

const CALL = { why: 'apply', manager: MANAGER } as const

/** What is there already is success, or a failure, as it is asked. */
export async function writeSetObject(
  target: SetTarget,
  manifest: KubeObject,
): Promise<Result<Settled, SetFailure>> {
  const ref = refOf(manifest)
  const resource = await servedFor(target.session, manifest, ref)
  if (!resource.ok) return resource
  const problem = scopeProblem(manifest, ref, resource.value)
  if (problem) return err(problem)
  const { marks } = target
  const body = marks ? markedBody(manifest, marks.unit, marks.inventoryUid, undefined) : manifest
  const done = await request(target, resource.value, body)
  if (done.ok) return ok(done.value)
  if (done.error.kind !== 'AlreadyExists') {
    const failure = failureIn(target, done.error, ref)
    return failure.reason === 'ImmutableField'
      ? immutable(target, resource.value, body, immutableText(ref, done.error))
      : err(withLack(failure, done.error, manifest))
  }
  if (target.write === 'CreateOrKeep') return ok(ALONE)
  if (target.write === 'Apply') return err(failureIn(target, done.error, ref))
  const message = `${refText(ref)} exists already, and lockstep.dev/existing is Fail: delete it, or write Keep or Take`
  return err({ reason: 'ObjectExists', message, transient: true })
}

function withLack(failure: WriteFailure, error: KubeError, manifest: KubeObject): SetFailure {
  if (error.kind === 'KindUnknown') return { ...failure, lacks: kindOf(manifest) }
  if (error.kind !== 'NotFound' || error.namespace === undefined) return failure
  return { ...failure, lacks: { group: '', version: 'v1', kind: 'Namespace', name: error.namespace } }
}

const kindOf = ({ apiVersion, kind }: KubeObject): Sought => ({ ...parseApiVersion(apiVersion), kind })

const failureIn = ({ fromSecret }: SetTarget, error: KubeError, ref: Ref): WriteFailure =>
  failureFor(error, { ref, ...(fromSecret ? { fromSecret } : {}) })

/** Nothing of others was looked for. */
const ALONE: Settled = { remains: false }

async function request(
  target: SetTarget,
  resource: ServedResource,
  body: KubeObject,
): Promise<KubeResult<Settled>> {
  const { client } = target.session
  const kind = defineKind(resource)
  if (target.write !== 'Apply') return alone(await client.create(kind, body, CALL))
  if (target.isMergePatch) return alone(await mergePatch(client, kind, body))
  const apply = () => client.apply(kind, body, { ...CALL, force: true, fence: 'any' })
  const done = await apply()
  // What is never touched again has no owners that matter.
  if (!done.ok || !target.marks) return alone(done)
  return settleOwners({ client, mayWrite: target.mayWrite }, resource, body, done.value, apply)
}

const alone = (done: KubeResult<unknown>): KubeResult<Settled> =>
  done.ok ? { ok: true, value: ALONE } : done

/** The request that Cluster API would send. */
async function mergePatch(client: KubeClient, kind: Kind, body: KubeObject): Promise<KubeResult<unknown>> {
  const live = await client.get<Stored>(kind as never, keyOf(body), { why: 'reread' })
  if (!live.ok) return live.error.kind === 'NotFound' ? client.create(kind, body, CALL) : live
  const { resourceVersion } = live.value.metadata
  const asked = { ...body, metadata: { ...body.metadata, resourceVersion } }
  const patch = mergePatchBetween(live.value as unknown as JsonValue, asked as unknown as JsonValue)
  return jsonEqual(patch, {}) ? live : client.patch(kind, keyOf(body), patch, { ...CALL, fence: 'any' })
}

/** By the names of the fields: a server repeats all that is in them. */
function immutableText(ref: Ref, error: KubeError): string {
  const fields = error.kind === 'Invalid' ? error.causes.map((c) => `.${c.field}`) : []
  return `${refText(ref)}: ${fields.join(', ') || 'a field'} is immutable`
}

/** Tried once: no time helps. Made anew only where that is asked for, and where nothing is lost with it. */
async function immutable(
  target: SetTarget,
  resource: ServedResource,
  body: KubeObject,
  text: string,
): Promise<Result<Settled, WriteFailure>> {
  const { client } = target.session
  const ref = refOf(body)
  const said = (what: string): Result<Settled, WriteFailure> =>
    err({ reason: 'ImmutableField', message: `${text}; ${what}`, transient: false })
  if (!target.isReplaced) return said('set lockstep.dev/replace-immutable: "true" or rename it')
  const kind = defineKind(resource)
  const live = await client.get(kind, keyOf(body), { why: 'reread' })
  if (!live.ok) return err(failureIn(target, live.error, ref))
  const loss = lossOf(ref, liveOf(live.value))
  if (loss !== undefined) return said(`it is not made anew: ${loss}; rename it`)
  const { uid, resourceVersion } = live.value.metadata
  const gone = await client.delete(kind, keyOf(body), {
    ...{ why: 'replace', manager: MANAGER, propagation: 'Background' },
    fence: { uid, resourceVersion },
  })
  if (!gone.ok && gone.error.kind !== 'NotFound') return err(failureIn(target, gone.error, ref))
  const made = await client.create(kind, body, CALL)
  if (made.ok) return ok(ALONE)
  if (made.error.kind !== 'AlreadyExists') return err(failureIn(target, made.error, ref))
  const message = `${refText(ref)} is being deleted; it is created anew once gone`
  return err({ reason: 'FinalizerPending', message, transient: true })
}

/** A kind that is not known may have come since: asked for once more. */
async function servedFor(
  session: ClusterSession,
  manifest: KubeObject,
  ref: Ref,
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

function scopeProblem(o: KubeObject, ref: Ref, { namespaced }: ServedResource): WriteFailure | undefined {
  if (!namespaced || (o.metadata.namespace ?? '') !== '') return undefined
  const message = `${refText(ref)} has no metadata.namespace; add one`
  return { reason: 'InvalidObject', message, transient: false }
}
