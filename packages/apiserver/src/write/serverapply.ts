import { err } from '@lockstep/kube/env'
import {
  deepCopy,
  isObject,
  isString,
  type JsonValue,
  jsonEqual,
  type KubeObject,
  member,
} from '@lockstep/kube/object'
import type { ApplyFailure } from '../apply/fieldmanagertypes.ts'
import { asDraft, asObject } from '../resources/objectdraft.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { resourceOf } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { timestamp } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, conflict, internal, notFound, STALE } from '../status/apifailure.ts'
import type { StoredObject } from '../store/storedobject.ts'
import { createApplied, placeIn } from './createobject.ts'
import { decodeBody, versionOf } from './decodebody.ts'
import { resetPaths } from './resetpaths.ts'
import { unchanged, updateObject } from './updateobject.ts'
import type { ServerWriteOptions } from './writeoptions.ts'
import type { WriteResult } from './writeresult.ts'
import { seen } from './writeresult.ts'

export interface ServerApplyTarget {
  readonly namespace: string
  readonly name: string
  /** Undefined: nothing of that name is there. */
  readonly stored: StoredObject | undefined
}

/** Server-side apply: `PATCH` with `application/apply-patch+yaml`. */
export function serverApply(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  target: ServerApplyTarget,
  body: JsonValue,
  options: ServerWriteOptions,
): WriteResult {
  const config = checkConfig(kind, target, body)
  if ('code' in config) return err(config as ApiFailure)
  const live = target.stored && seen(kind, target.stored).object
  const refused = precondition(kind, target, config, live, options)
  if (refused) return err(refused)
  const merged = cluster.fields.apply({
    live,
    config,
    writer: { manager: options.manager, subresource: options.subresource, time: timestamp(cluster) },
    force: options.force,
    schema: kind.schema,
    reset: resetPaths(kind, config, options.subresource),
  })
  if (!merged.ok) return err(failureOf(merged.error))
  if (target.stored && (!merged.value.changed || takesNothing(live as KubeObject, merged.value.object)))
    return unchanged(cluster, kind, target.stored, options)
  const shaped = decodeBody(kind, deepCopy(merged.value.object as unknown as JsonValue), options)
  if (!shaped.ok) return shaped
  if (!target.stored) return createApplied(cluster, kind, target.namespace, asObject(shaped.value), options)
  return updateObject(
    cluster,
    kind,
    target.stored,
    { next: asObject(shaped.value), tracked: true, verb: 'apply' },
    options,
  )
}

/**
 * A configuration that names an object and nothing else: it owns nothing, so the object has no owners afterwards, and
 * applying it again must not find an object that nobody tracked yet. Our rule; kube-apiserver records
 * `before-first-apply` here once.
 */
function takesNothing(live: KubeObject, merged: KubeObject): boolean {
  if ((live.metadata.managedFields ?? []).length > 0) return false
  const isOwned = (merged.metadata.managedFields ?? []).some((e) => e.operation === 'Apply')
  const bare = (o: KubeObject): KubeObject => ({
    ...o,
    metadata: { ...o.metadata, managedFields: undefined },
  })
  return !isOwned && jsonEqual(bare(live), bare(merged))
}

/** What an applied configuration must say of itself (apiserver `handlers/patch.go` applyPatcher). */
function checkConfig(kind: ServedKind, target: ServerApplyTarget, body: JsonValue): KubeObject | ApiFailure {
  if (!isObject(body)) return badRequest('error decoding YAML: the patch is not an object')
  const { apiVersion, kind: said } = body
  if (!isString(apiVersion) || !isString(said))
    return badRequest(
      `error decoding YAML: Object 'Kind' is missing in '${JSON.stringify(body).slice(0, 200)}'`,
    )
  if (apiVersion !== versionOf(kind) || said !== kind.info.kind)
    return badRequest(`invalid object type: ${apiVersion}, Kind=${said}`)
  if (member(member(body, 'metadata'), 'managedFields') !== undefined)
    return badRequest('metadata.managedFields must be nil')
  const draft = asDraft(deepCopy(body) as unknown as KubeObject)
  const meta = { ...(isObject(draft.metadata) ? draft.metadata : {}) }
  draft.metadata = meta
  if (meta.name === undefined || meta.name === '') meta.name = target.name
  if (meta.name !== target.name)
    return badRequest(
      `the name of the object (${String(meta.name)}) does not match the name on the URL (${target.name})`,
    )
  return placeIn(kind, target.namespace, meta) ?? asObject(draft)
}

function precondition(
  kind: ServedKind,
  target: ServerApplyTarget,
  config: KubeObject,
  live: KubeObject | undefined,
  options: ServerWriteOptions,
): ApiFailure | undefined {
  const { uid, resourceVersion } = config.metadata
  if (live) {
    const isStale = resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion
    return isStale ? conflict(resourceOf(kind), target.name, STALE) : undefined
  }
  if (options.subresource !== undefined) return notFound(resourceOf(kind), target.name)
  if (uid === undefined) return undefined
  return conflict(
    resourceOf(kind),
    target.name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  )
}

function failureOf(f: ApplyFailure): ApiFailure {
  if (f.kind === 'Typed') return internal(f.message)
  if (f.kind === 'BadRequest') return badRequest(f.message)
  return {
    code: 409,
    reason: 'Conflict',
    message: f.message,
    details: {
      causes: f.conflicts.map((c) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${c.manager}`,
        field: c.path,
      })),
    },
  }
}
