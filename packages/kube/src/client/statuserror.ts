import { parseJson } from '../object/encode.ts'
import { at, isArray, isString, type JsonValue } from '../object/json.ts'
import type { ObjectReference } from '../object/objectref.ts'
import { printable } from '../object/printable.ts'
import { utf8Length } from '../object/utf8.ts'
import type { FieldCause, RequestError, Verb } from './requesterror.ts'

interface StatusErrorContext {
  readonly cluster: string
  readonly verb: Verb
  readonly ref: ObjectReference
}

/** A failed answer of a server (meta/v1 Status) as one of our errors. */
export function statusErrorFromResponse(
  context: StatusErrorContext,
  httpStatus: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): RequestError {
  const status = parseStatus(body)
  const reason = text(at(status, 'reason'))
  const whole = text(at(status, 'message'))
  const message = status === undefined ? withheld(headers['content-type'], body) : quoted(whole)
  const causes = causesOf(status)
  // What the server refused it did not do; a 5xx may come from a proxy, or after the write.
  const base = { ...context, wrote: httpStatus >= 500 ? ('maybe' as const) : ('no' as const) }
  switch (httpStatus) {
    case 401:
      return { ...base, kind: 'Unauthorized' }
    case 403:
      return { ...base, kind: 'Forbidden', message }
    case 404:
      return isKindUnknown(status) ? { ...base, kind: 'KindUnknown' } : notFound(base, status)
    case 409:
      return conflict(base, reason, message, status)
    case 410:
      return { ...base, kind: 'Expired' }
    case 413:
      return { ...base, kind: 'TooLarge' }
    case 422:
      return causes.some((c) => c.field === 'metadata.uid')
        ? { ...base, kind: 'FenceLost', message }
        : { ...base, kind: 'Invalid', message, causes }
    case 400:
      return { ...base, kind: 'Invalid', message, causes }
    case 429:
      return { ...base, kind: 'Throttled', retryAfterMs: retryAfter(headers) }
    case 500:
      // So kube-apiserver refuses an apply whose body does not fit the schema, before it writes anything.
      if (UNTYPED.test(whole))
        return { ...base, wrote: 'no', kind: 'Invalid', message, causes: untypedCauses(whole) }
      return serverError(base, httpStatus, whole, message)
    default:
      return serverError(base, httpStatus, whole, message)
  }
}

function serverError(base: Base, status: number, whole: string, message: string): RequestError {
  return /request is too large/.test(whole)
    ? { ...base, wrote: 'no', kind: 'TooLarge' }
    : { ...base, kind: 'Server', status, message }
}

/** apiserver `pkg/endpoints/handlers/fieldmanager`: the patch as a typed value, by structured-merge-diff. */
const UNTYPED = /^failed to create typed patch object \([^)]*\): /

function untypedCauses(message: string): FieldCause[] {
  const findings = message.replace(UNTYPED, '').replace(/^errors:/, '')
  return findings
    .split('\n')
    .map((line) => /^\s*\.?(\S+?): (.*)$/.exec(line))
    .filter((m) => m !== null)
    .map((m) => ({ field: quoted(m[1]!), message: quoted(m[2]!) }))
}

type Base = StatusErrorContext & { wrote: 'no' | 'maybe' }

function conflict(base: Base, reason: string, message: string, status: JsonValue | undefined): RequestError {
  if (reason === 'AlreadyExists') return { ...base, kind: 'AlreadyExists' }
  const managers = causesIn(status).filter((c) => at(c, 'reason') === 'FieldManagerConflict')
  if (managers.length === 0) return { ...base, kind: 'FenceLost', message }
  return {
    ...base,
    kind: 'Conflict',
    managers: managers.map((c) => ({
      manager: quoted(managerIn(text(at(c, 'message')))),
      field: quoted(text(at(c, 'field'))),
    })),
  }
}

/** kube-apiserver writes `conflict with "name" using apps/v1: …` (apimachinery `managedfields/internal/conflict.go`). */
const managerIn = (message: string): string => /conflict with "([^"]*)"/.exec(message)?.[1] ?? message

/** The error inside a watch's ERROR event. */
export function statusErrorFromStatus(context: StatusErrorContext, status: JsonValue): RequestError {
  const code = at(status, 'code')
  return statusErrorFromResponse(context, typeof code === 'number' ? code : 500, {}, JSON.stringify(status))
}

function parseStatus(body: string): JsonValue | undefined {
  try {
    const value = parseJson(body)
    return at(value, 'kind') === 'Status' ? value : undefined
  } catch {
    return undefined
  }
}

/** A path that no resource serves is answered without details of an object. */
function isKindUnknown(status: JsonValue | undefined): boolean {
  return status === undefined || at(status, 'details', 'name') === undefined
}

/** Of an object in a Namespace that is not there, the Namespace is what was not found. */
function notFound(base: Base, status: JsonValue | undefined): RequestError {
  const name = at(status, 'details', 'name')
  const isAround = base.ref.kind !== 'Namespace' && at(status, 'details', 'kind') === 'namespaces'
  return { ...base, kind: 'NotFound', ...(isAround && isString(name) ? { namespace: name } : {}) }
}

function causesIn(status: JsonValue | undefined): readonly JsonValue[] {
  const list = at(status, 'details', 'causes')
  return isArray(list) ? list : []
}

const causesOf = (status: JsonValue | undefined): FieldCause[] =>
  causesIn(status).map((c) => ({
    field: quoted(text(at(c, 'field'))),
    message: quoted(text(at(c, 'message'))),
  }))

function retryAfter(headers: Readonly<Record<string, string>>): number {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 1000
}

const text = (v: unknown): string => (isString(v) ? v : '')

/** Characters of a server's text that are repeated, and how many of them are its end. */
const MOST_QUOTED = 160
const QUOTED_END = 60

/**
 * A text of a Status without characters that a terminal acts on. A long one loses what a reader knows, namely that the object is
 * refused and by what, and then its middle: its end is the finding.
 */
function quoted(text: string): string {
  const finding = text.length > MOST_QUOTED ? text.replace(KNOWN, '') : text
  const isLong = finding.length > MOST_QUOTED
  const head = printable(isLong ? finding.slice(0, MOST_QUOTED) : finding)
  if (!isLong && head.length <= MOST_QUOTED) return head
  const tail = isLong ? printable(finding.slice(-MOST_QUOTED)) : head
  return `${head.slice(0, MOST_QUOTED - QUOTED_END - 1)}…${tail.slice(-QUOTED_END)}`
}

/** `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: `. */
const KNOWN =
  /^[\w.-]{1,200}( "[^"]{0,253}")? is forbidden: (ValidatingAdmissionPolicy '[^']{0,253}' with binding '[^']{0,253}' denied request: )?/

/** Text for an answer that no Kubernetes API gives: any server may have written it, for any reader of a status. */
function withheld(contentType = '', body: string): string {
  const type = contentType.split(';')[0]!.trim()
  const shown = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : 'no content type'
  return body === '' ? '(no body)' : `(${shown}, ${utf8Length(body)} bytes, not shown)`
}
