import { err, ok, type Result, type ServerResponse } from '@lockstep/kube/env'
import { authorizer } from '../auth/authorize.ts'
import { forbiddenAccess } from '../auth/forbiddenaccess.ts'
import { failureAnswer, jsonAnswer } from '../render/jsonanswer.ts'
import { viewOf } from '../render/objectview.ts'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { asObject, within } from '../resources/objectdraft.ts'
import { resourceOf } from '../resources/servedkind.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, notFound, unsupportedMedia } from '../status/apifailure.ts'
import { createObject, placeIn } from '../write/createobject.ts'
import { decodeBody } from '../write/decodebody.ts'
import type { PatchType } from '../write/patchobject.ts'
import { patchObject } from '../write/patchobject.ts'
import { serverApply } from '../write/serverapply.ts'
import { updateObject } from '../write/updateobject.ts'
import type { ServerWriteOptions } from '../write/writeoptions.ts'
import type { WriteResult } from '../write/writeresult.ts'
import { seen, storeKey } from '../write/writeresult.ts'
import { includeOf } from './answerget.ts'
import type { Body, BodyFormat } from './body.ts'
import { parseBody, readBody } from './body.ts'
import type { Media } from './negotiate.ts'
import type { RequestContext } from './requestcontext.ts'
import { writeOptions } from './requestcontext.ts'

const BODY_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const

export function bodyFormat(contentType: string | undefined): Result<BodyFormat, ApiFailure> {
  const type = (contentType ?? '').split(';')[0]!.trim()
  if (type === '' || type === 'application/json') return ok('json')
  if (type === 'application/yaml') return ok('yaml')
  if (type === 'application/vnd.kubernetes.protobuf') return ok('protobuf')
  return err(unsupportedMedia(BODY_TYPES))
}

/** POST on a collection. */
export async function answerCreate(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { cluster, kind, route } = ask
  const read = await objectOf(ask, 'CreateOptions')
  if (!read.ok) return failureAnswer(read.error, ask.warnings)
  const { draft, options } = read.value
  return written(ask, media, createObject(cluster, kind, route.namespace, draft, options))
}

/** PUT on a named object or on its status. */
export async function answerUpdate(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { cluster, kind, route } = ask
  const read = await objectOf(ask, 'UpdateOptions')
  if (!read.ok) return failureAnswer(read.error, ask.warnings)
  const { draft, options } = read.value
  const misplaced = checkPlace(ask, draft)
  if (misplaced) return failureAnswer(misplaced, ask.warnings)
  const stored = kind.table.live.get(storeKey(kind, route.namespace, route.name))
  if (stored) {
    const change = { next: asObject(draft), needsVersion: true, verb: 'update' } as const
    return written(ask, media, updateObject(cluster, kind, stored, change, options))
  }
  if (!kind.rules.createOnUpdate || options.subresource !== undefined)
    return failureAnswer(notFound(resourceOf(kind), route.name), ask.warnings)
  const refused = mayNotCreate(ask)
  if (refused) return failureAnswer(refused, ask.warnings)
  return written(ask, media, createObject(cluster, kind, route.namespace, draft, options))
}

const PATCH_TYPES: Readonly<Record<string, PatchType | 'apply'>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

/** The patch type of a content type, as far as the kind knows it. */
export function patchTypeOf(
  custom: boolean,
  contentType: string | undefined,
): Result<PatchType | 'apply', ApiFailure> {
  const given = (contentType ?? '').split(';')[0]!.trim()
  const type = Object.hasOwn(PATCH_TYPES, given) ? PATCH_TYPES[given] : undefined
  if (type && !(custom && type === 'strategic')) return ok(type)
  const { 'application/strategic-merge-patch+json': _, ...others } = PATCH_TYPES
  return err(unsupportedMedia(Object.keys(custom ? others : PATCH_TYPES)))
}

/** PATCH of all four types. */
export async function answerPatch(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { cluster, kind, route } = ask
  const type = patchTypeOf(kind.custom, ask.request.headers['content-type'])
  if (!type.ok) return failureAnswer(type.error)
  const options = writeOptions(ask, 'PatchOptions', type.value === 'apply')
  if (!options.ok) return failureAnswer(options.error)
  const body = await bodyOf(ask, type.value === 'apply' ? 'yaml' : 'json')
  if (!body.ok) return failureAnswer(body.error)
  const stored = kind.table.live.get(storeKey(kind, route.namespace, route.name))
  if (type.value === 'apply') {
    const refused = stored ? undefined : mayNotCreate(ask)
    if (refused) return failureAnswer(refused, ask.warnings)
    const target = { namespace: route.namespace, name: route.name, stored }
    return written(ask, media, serverApply(cluster, kind, target, body.value.value, options.value))
  }
  if (!stored) return failureAnswer(notFound(resourceOf(kind), route.name))
  return written(ask, media, patchObject(cluster, kind, stored, type.value, body.value.value, options.value))
}

/** PUT and PATCH that create need the right to (apiserver `handlers/update.go` withAuthorization). */
function mayNotCreate({ cluster, user, route }: RequestContext): ApiFailure | undefined {
  const { group, plural: resource, subresource, namespace, name } = route
  const attributes = { verb: 'create', group, resource, subresource, namespace, name }
  const decision = authorizer(cluster)(user, attributes)
  return decision.allowed ? undefined : forbiddenAccess(user, attributes, decision.reason)
}

export async function bodyOf(ask: RequestContext, format: BodyFormat): Promise<Result<Body, ApiFailure>> {
  const bytes = await readBody(ask.request)
  return bytes.ok ? parseBody(bytes.value, format) : bytes
}

export async function objectOf(
  ask: RequestContext,
  optionsKind: string,
): Promise<Result<{ draft: ObjectDraft; options: ServerWriteOptions }, ApiFailure>> {
  const options = writeOptions(ask, optionsKind)
  if (!options.ok) return options
  const format = bodyFormat(ask.request.headers['content-type'])
  if (!format.ok) return format
  const body = await bodyOf(ask, format.value)
  if (!body.ok) return err(unrecognized(ask, body.error))
  const draft = decodeBody(ask.kind, body.value.value, options.value, body.value.duplicates)
  return draft.ok ? ok({ draft: draft.value, options: options.value }) : draft
}

/** A body that cannot be read says of which kind it should have been. */
const unrecognized = (ask: RequestContext, f: ApiFailure): ApiFailure =>
  f.code === 400
    ? {
        ...f,
        message: `the object provided is unrecognized (must be of type ${ask.kind.info.kind}): ${f.message}`,
      }
    : f

/** Name and namespace of the body are those of the path (apiserver `rest.EnsureObjectNamespaceMatchesRequestNamespace`). */
function checkPlace(ask: RequestContext, draft: ObjectDraft): ApiFailure | undefined {
  const meta = within(draft, 'metadata') as ObjectDraft
  const name = String(meta.name ?? '')
  if (name === '') return badRequest('name must be provided')
  if (name !== ask.route.name)
    return badRequest(
      `the name of the object (${name}) does not match the name on the URL (${ask.route.name})`,
    )
  return placeIn(ask.kind, ask.route.namespace, meta)
}

export function written(ask: RequestContext, media: Media, result: WriteResult): ServerResponse {
  if (!result.ok) return failureAnswer(result.error, ask.warnings)
  const view = viewOf(ask.cluster, ask.kind, media, includeOf(ask.query))
  const code = result.value.outcome === 'created' ? 201 : 200
  return jsonAnswer(code, view.one(seen(ask.kind, result.value.stored)), media.format, ask.warnings)
}
