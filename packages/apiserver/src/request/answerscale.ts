import { ok, type Result, type ServerResponse } from '@lockstep/kube/env'
import {
  deepCopy,
  encodeJson,
  isObject,
  type JsonValue,
  jsonPath,
  type KubeObject,
  member,
} from '@lockstep/kube/object'
import { ownersFromScale, scaleOwners } from '../apply/scaleowners.ts'
import { failureAnswer, jsonAnswer } from '../render/jsonanswer.ts'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { asObject, ensure } from '../resources/objectdraft.ts'
import type { ScalePaths, ServedKind } from '../resources/servedkind.ts'
import { resourceOf } from '../resources/servedkind.ts'
import { compileSchema } from '../schema/compileschema.ts'
import { timestamp } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import {
  badRequest,
  conflict,
  internal,
  methodNotSupported,
  notFound,
  notServed,
  STALE,
} from '../status/apifailure.ts'
import { patchValue } from '../write/patchobject.ts'
import { updateObject } from '../write/updateobject.ts'
import type { ServerWriteOptions } from '../write/writeoptions.ts'
import { seen, storeKey } from '../write/writeresult.ts'
import { bodyFormat, bodyOf, patchTypeOf } from './answercreate.ts'
import type { Media } from './negotiate.ts'
import type { RequestContext } from './requestcontext.ts'
import { writeOptions } from './requestcontext.ts'

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const

/** `/scale`: replicas of any kind that says where it keeps them (autoscaling/v1 Scale). */
export async function answerScale(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { kind, route } = ask
  const paths = kind.scale
  const stored = kind.table.live.get(storeKey(kind, route.namespace, route.name))
  if (!paths || !stored) return failureAnswer(notFound(resourceOf(kind), route.name))
  const live = seen(kind, stored).object
  const method = ask.request.method
  if (method === 'GET' || method === 'HEAD')
    return jsonAnswer(200, encodeJson(scaleOf(live, paths)), media.format)
  if (method !== 'PUT' && method !== 'PATCH')
    return failureAnswer(methodNotSupported(resourceOf(kind), method.toLowerCase()))
  const refused = refusedApply(ask, kind)
  if (refused) return failureAnswer(refused)
  const options = writeOptions(ask, method === 'PUT' ? 'UpdateOptions' : 'PatchOptions')
  if (!options.ok) return failureAnswer(options.error)
  const wanted = await wantedScale(ask, kind, scaleOf(live, paths))
  if (!wanted.ok) return failureAnswer(wanted.error)
  const given = member(member(wanted.value, 'metadata'), 'resourceVersion')
  if (given !== undefined && given !== '' && given !== live.metadata.resourceVersion)
    return failureAnswer(conflict(resourceOf(kind), route.name, STALE))
  const replicas = member(member(wanted.value, 'spec'), 'replicas') ?? 0
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0)
    return failureAnswer(badRequest(`invalid scale: spec.replicas: ${JSON.stringify(replicas)}`))
  const next = tracked(ask, kind, live, withReplicas(live, paths.specReplicas, replicas), options.value)
  const shownAs = { ...SCALE, of: (o: KubeObject) => asObject(scaleOf(o, paths)) }
  const done = updateObject(
    ask.cluster,
    kind,
    stored,
    { next, tracked: true, verb: 'patch', shownAs },
    options.value,
  )
  if (!done.ok) return failureAnswer(done.error, ask.warnings)
  const scale = scaleOf(seen(kind, done.value.stored).object, paths)
  return jsonAnswer(200, encodeJson(scale), media.format, ask.warnings)
}

async function wantedScale(
  ask: RequestContext,
  kind: ServedKind,
  live: ObjectDraft,
): Promise<Result<JsonValue, ApiFailure>> {
  if (ask.request.method === 'PUT') {
    const format = bodyFormat(ask.request.headers['content-type'])
    if (!format.ok) return format
    const body = await bodyOf(ask, format.value)
    return body.ok ? ok(body.value.value) : body
  }
  const type = patchTypeOf(kind.custom, ask.request.headers['content-type'])
  if (!type.ok) return type
  const body = await bodyOf(ask, 'json')
  if (!body.ok) return body
  // A Scale has no lists, so a strategic patch of it is a merge patch.
  return patchValue(kind, asObject(live), type.value === 'json' ? 'json' : 'merge', body.value.value)
}

/** Apply on `/scale` (apiserver: a custom resource cannot be converted to a Scale). */
function refusedApply(ask: RequestContext, kind: ServedKind): ApiFailure | undefined {
  const type = patchTypeOf(kind.custom, ask.request.headers['content-type'])
  if (ask.request.method !== 'PATCH' || !type.ok || type.value !== 'apply') return undefined
  if (!kind.custom) return notServed(`apply on ${kind.info.plural}/scale`)
  return internal(
    `failed to convert new object (/${ask.route.name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  )
}

/** Ownership of the replicas goes through the Scale (apimachinery `managedfields/scalehandler.go`). */
function tracked(
  ask: RequestContext,
  kind: ServedKind,
  live: KubeObject,
  next: KubeObject,
  options: ServerWriteOptions,
): KubeObject {
  const paths = kind.scale as ScalePaths
  const where = { [live.apiVersion]: paths.specReplicas.split('.').filter((s) => s !== '') }
  const before = live.metadata.managedFields
  const asScale = (o: KubeObject): KubeObject => {
    const scale = asObject(scaleOf(o, paths))
    return { ...scale, metadata: { ...scale.metadata, managedFields: scaleOwners(before, where) } }
  }
  const after = ask.cluster.fields.update({
    live: asScale(live),
    next: asScale(next),
    writer: { manager: options.manager, subresource: 'scale', time: timestamp(ask.cluster) },
    schema: ANYTHING,
    reset: [['status']],
  })
  const managedFields = ownersFromScale(before, after.metadata.managedFields, live.apiVersion, where)
  return { ...next, metadata: { ...next.metadata, managedFields } }
}

const ANYTHING = compileSchema(undefined)

function scaleOf(o: KubeObject, paths: ScalePaths): ObjectDraft {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = o.metadata
  const read = (path: string): JsonValue | undefined => jsonPath(o as unknown as JsonValue, path)[0]
  const selector = paths.selector === undefined ? undefined : selectorOf(read(paths.selector))
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: read(paths.specReplicas) ?? 0 },
    status: { replicas: read(paths.statusReplicas) ?? 0, selector },
  }
}

/** Custom resources keep the selector as text, workloads as an object. */
function selectorOf(v: JsonValue | undefined): string | undefined {
  if (typeof v === 'string') return v === '' ? undefined : v
  if (!isObject(v)) return undefined
  const labels = member(v, 'matchLabels') ?? (v.matchExpressions ? {} : v)
  if (!isObject(labels)) return undefined
  return Object.keys(labels)
    .sort()
    .map((k) => `${k}=${String(labels[k])}`)
    .join(',')
}

function withReplicas(o: KubeObject, path: string, replicas: number): KubeObject {
  const draft = deepCopy(o as unknown as JsonValue) as ObjectDraft
  const steps = path.split('.').filter((s) => s !== '')
  let here = draft
  for (const step of steps.slice(0, -1)) here = ensure(here, step)
  here[steps[steps.length - 1]!] = replicas
  return asObject(draft)
}
