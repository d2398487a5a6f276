/** One object of a ClusterResourceSet is written to a cluster. */
import { defineKind, type Stored } from '../../api/kind.ts'
import { MANAGER } from '../../api/labels.ts'
import { markedBody } from '../../deliver/desired.ts'
import { failureOf, type WriteFailure } from '../../deliver/refused.ts'
import type { SetWrite } from '../../deliver/sets/work.ts'
import { err, ok, type Result } from '../../env/result.ts'
import type { ClusterSession } from '../../fleet/session.ts'
import type { KubeResult, ServedResource } from '../../kube/client.ts'
import {
  type JsonValue,
  jsonEqual,
  type KubeObject,
  keyOf,
  mergePatchBetween,
  type Ref,
  refOf,
  refText,
} from '../../object/object.ts'

export interface SetTarget {
  readonly session: ClusterSession
  readonly write: SetWrite
  /** The request that Cluster API would send, instead of a server-side apply. */
  readonly isMergePatch: boolean
  /** What is put on an object that is looked after; undefined: it is never touched again. */
  readonly marks: { readonly unit: string; readonly inventoryUid: string } | undefined
}

const CALL = { why: 'apply', manager: MANAGER } as const

/** What is there already is success, or a failure, as it is asked. */
export async function writeSetObject(
  target: SetTarget,
  manifest: KubeObject,
): Promise<Result<undefined, WriteFailure>> {
  const ref = refOf(manifest)
  const resource = await servedFor(target.session, manifest, ref)
  if (!resource.ok) return resource
  const problem = scopeProblem(manifest, ref, resource.value)
  if (problem) return err(problem)
  const { marks } = target
  const body = marks ? markedBody(manifest, marks.unit, marks.inventoryUid, undefined) : manifest
  const done = await request(target, resource.value, body)
  if (done.ok) return ok(undefined)
  if (done.error.kind !== 'AlreadyExists') return err(failureOf(done.error, ref))
  if (target.write === 'CreateOrKeep') return ok(undefined)
  const message = `${refText(ref)} exists already, and lockstep.dev/existing is Fail: delete it, or write Keep or Take`
  return err({ reason: 'ObjectExists', message, transient: true })
}

async function request(
  { session: { client }, write, isMergePatch }: SetTarget,
  resource: ServedResource,
  body: KubeObject,
): Promise<KubeResult<unknown>> {
  const kind = defineKind(resource)
  if (write !== 'Apply') return client.create(kind, body, CALL)
  if (!isMergePatch) return client.apply(kind, body, { ...CALL, force: true, fence: 'any' })
  const live = await client.get<Stored>(kind as never, keyOf(body), { why: 'reread' })
  if (!live.ok) return live.error.kind === 'NotFound' ? client.create(kind, body, CALL) : live
  const { resourceVersion } = live.value.metadata
  const asked = { ...body, metadata: { ...body.metadata, resourceVersion } }
  const patch = mergePatchBetween(live.value as unknown as JsonValue, asked as unknown as JsonValue)
  return jsonEqual(patch, {}) ? live : client.patch(kind, keyOf(body), patch, { ...CALL, fence: 'any' })
}

/** A kind that is not known may have come since: asked for once more. */
async function servedFor(
  session: ClusterSession,
  { apiVersion }: KubeObject,
  ref: Ref,
): Promise<Result<ServedResource, WriteFailure>> {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const known = session.served(ref.group, ref.kind, version)
  if (known) return ok(known)
  await session.discover()
  const found = session.served(ref.group, ref.kind, version)
  if (found) return ok(found)
  const message = `${refText(ref)}: the cluster does not serve ${ref.kind} of ${apiVersion}`
  return err({ reason: 'KindNotServed', message, transient: true })
}

function scopeProblem(o: KubeObject, ref: Ref, { namespaced }: ServedResource): WriteFailure | undefined {
  if (!namespaced || (o.metadata.namespace ?? '') !== '') return undefined
  const message = `${refText(ref)} has no metadata.namespace; add one`
  return { reason: 'InvalidObject', message, transient: false }
}
