import { err, ok, type Result, type ServerResponse } from '@lockstep/kube/env'
import { encodeJson, isArray, isObject, member } from '@lockstep/kube/object'
import { failureAnswer, jsonAnswer } from '../render/jsonanswer.ts'
import { viewOf } from '../render/objectview.ts'
import { resourceOf } from '../resources/servedkind.ts'
import { invalid as invalidValue, notSupported } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, notFound } from '../status/apifailure.ts'
import { invalidOptions } from '../status/invalid.ts'
import type { StoredObject } from '../store/storedobject.ts'
import type { DeleteOptions, DeletePropagation } from '../write/deleteobject.ts'
import { deleteObject } from '../write/deleteobject.ts'
import type { ServerWriteOptions } from '../write/writeoptions.ts'
import { dryRunFindings, managerOf } from '../write/writeoptions.ts'
import { seen, storeKey } from '../write/writeresult.ts'
import { bodyFormat } from './answercreate.ts'
import { includeOf } from './answerget.ts'
import { parseBody, readBody } from './body.ts'
import { list } from './listanswer.ts'
import { isTrue, parseListOptions } from './listoptions.ts'
import type { Media } from './negotiate.ts'
import type { RequestContext } from './requestcontext.ts'
import { warnTo } from './requestcontext.ts'

interface DeleteAsk {
  readonly wanted: DeleteOptions
  readonly options: ServerWriteOptions
}

/** DELETE on a named object: a Status when it is gone, the object while something holds it. */
export async function answerDelete(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { cluster, kind, route } = ask
  const read = await deleteOptions(ask)
  if (!read.ok) return failureAnswer(read.error)
  const stored = kind.table.live.get(storeKey(kind, route.namespace, route.name))
  if (!stored) return failureAnswer(notFound(resourceOf(kind), route.name))
  const done = deleteObject(cluster, kind, stored, read.value.wanted, read.value.options)
  if (!done.ok) return failureAnswer(done.error, ask.warnings)
  if (done.value.outcome === 'deleted' && !kind.rules.returnsDeleted)
    return jsonAnswer(200, successText(ask, stored), media.format, ask.warnings)
  const view = viewOf(cluster, kind, media, includeOf(ask.query))
  return jsonAnswer(200, view.one(seen(kind, done.value.stored)), media.format, ask.warnings)
}

function successText(ask: RequestContext, stored: StoredObject): string {
  const { group, plural } = ask.kind.info
  return encodeJson({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: ask.route.name,
      group: group || undefined,
      kind: plural,
      uid: stored.object.metadata.uid,
    },
  })
}

/** DELETE on a collection: what matches is deleted one by one; the answer lists it as it was. */
export async function answerDeleteCollection(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { cluster, kind, route } = ask
  const read = await deleteOptions(ask)
  if (!read.ok) return failureAnswer(read.error)
  const options = parseListOptions(kind, ask.query, '')
  if (!options.ok) return failureAnswer(options.error)
  const found = list(cluster, kind, route.namespace, options.value)
  if (!found.ok) return failureAnswer(found.error)
  const wanted = { ...read.value.wanted, unnamed: true }
  for (const s of found.value.items) {
    const stored = kind.table.live.get(s.key)
    if (!stored) continue
    const done = deleteObject(cluster, kind, stored, wanted, read.value.options)
    if (!done.ok) return failureAnswer(done.error, ask.warnings)
  }
  const view = viewOf(cluster, kind, media, includeOf(ask.query))
  return jsonAnswer(200, view.list(found.value), media.format, ask.warnings)
}

/** DeleteOptions of the body, or of the query when there is none. */
async function deleteOptions(ask: RequestContext): Promise<Result<DeleteAsk, ApiFailure>> {
  const bytes = await readBody(ask.request)
  if (!bytes.ok) return bytes
  const isEmpty = bytes.value.every(isSpace)
  let body: unknown = {}
  if (!isEmpty) {
    const format = bodyFormat(ask.request.headers['content-type'])
    if (!format.ok) return format
    const parsed = parseBody(bytes.value, format.value)
    if (!parsed.ok) return parsed
    body = parsed.value.value
  }
  if (!isObject(body)) return err(badRequest('DeleteOptions must be an object'))
  const given = isEmpty ? fromQuery(ask.query) : body
  const dryRun = dryRuns(member(given, 'dryRun'))
  const refused = check(given, dryRun)
  if (refused.length > 0) return err(invalidOptions('DeleteOptions', refused))
  const preconditions = member(given, 'preconditions')
  return ok({
    wanted: {
      propagation: propagationOf(given),
      uid: member(preconditions, 'uid') as string | undefined,
      resourceVersion: member(preconditions, 'resourceVersion') as string | undefined,
      graceSeconds: member(given, 'gracePeriodSeconds') as number | undefined,
    },
    options: {
      manager: managerOf('', ask.request.headers['user-agent'] ?? ''),
      agent: ask.request.headers['user-agent'],
      user: ask.user,
      dryRun: dryRun.length > 0,
      validation: 'Ignore',
      force: false,
      warn: warnTo(ask.warnings),
    },
  })
}

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)

const dryRuns = (given: unknown): string[] => (isArray(given) ? given.map(String) : [])

/** Read only where there is no body (apiserver `handlers/delete.go`). */
function fromQuery(q: URLSearchParams): { [k: string]: string | number | boolean | string[] } {
  const grace = q.get('gracePeriodSeconds')
  const policy = q.get('propagationPolicy')
  const orphan = q.get('orphanDependents')
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(orphan === null ? {} : { orphanDependents: isTrue(orphan) }),
    dryRun: q.getAll('dryRun').filter((d) => d !== ''),
  }
}

/** apimachinery pkg/apis/meta/v1/validation ValidateDeleteOptions. */
function check(given: unknown, dryRun: readonly string[]): FieldError[] {
  const policy = member(given, 'propagationPolicy')
  const orphan = member(given, 'orphanDependents')
  if (policy !== undefined && policy !== null && orphan !== undefined && orphan !== null)
    return [
      invalidValue(
        'propagationPolicy',
        policy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    ]
  if (policy !== undefined && policy !== null && !POLICIES.includes(policy as DeletePropagation))
    return [notSupported('propagationPolicy', policy, [...POLICIES, 'nil'])]
  return dryRunFindings(dryRun)
}

const POLICIES: readonly DeletePropagation[] = ['Foreground', 'Background', 'Orphan']

function propagationOf(given: unknown): DeletePropagation | undefined {
  const orphan = member(given, 'orphanDependents')
  if (orphan === true) return 'Orphan'
  if (orphan === false) return 'Background'
  return (member(given, 'propagationPolicy') ?? undefined) as DeletePropagation | undefined
}
