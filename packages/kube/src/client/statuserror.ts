import { at, isArray, isString, type JsonValue } from '../object/json.ts'
import type { ObjectReference } from '../object/objectref.ts'
import { decodeJson } from './decode.ts'
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
  const message = text(at(status, 'message')) || body.slice(0, 300).trim() || `HTTP ${httpStatus}`
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
      return conflict(base, reason, message, causes)
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
      if (UNTYPED.test(message))
        return { ...base, wrote: 'no', kind: 'Invalid', message, causes: untypedCauses(message) }
      return serverError(base, httpStatus, message)
    default:
      return serverError(base, httpStatus, message)
  }
}

function serverError(base: Base, status: number, message: string): RequestError {
  return /request is too large/.test(message)
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
    .map((m) => ({ field: m[1]!, message: m[2]! }))
}

type Base = StatusErrorContext & { wrote: 'no' | 'maybe' }

function conflict(
  base: Base,
  reason: string,
  message: string,
  causes: readonly StatusErrorCause[],
): RequestError {
  if (reason === 'AlreadyExists') return { ...base, kind: 'AlreadyExists' }
  const managers = causes.filter((c) => c.reason === 'FieldManagerConflict')
  if (managers.length === 0) return { ...base, kind: 'FenceLost', message }
  return {
    ...base,
    kind: 'Conflict',
    managers: managers.map((c) => ({ manager: managerIn(c.message), field: c.field })),
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
  const value = decodeJson(body)
  return value.ok && at(value.value, 'kind') === 'Status' ? value.value : undefined
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

interface StatusErrorCause extends FieldCause {
  readonly reason: string
}

function causesOf(status: JsonValue | undefined): StatusErrorCause[] {
  const list = at(status, 'details', 'causes')
  if (!isArray(list)) return []
  return list.map((c) => ({
    field: text(at(c, 'field')),
    message: text(at(c, 'message')),
    reason: text(at(c, 'reason')),
  }))
}

/** Longer waits are ignored: a faulty server would still be avoided after its repair. */
const MOST_RETRY_MS = 30_000

function retryAfter(headers: Readonly<Record<string, string>>): number {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, MOST_RETRY_MS) : 1000
}

const text = (v: unknown): string => (isString(v) ? v : '')
