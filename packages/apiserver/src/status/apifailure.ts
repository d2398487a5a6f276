/**
 * A refusal as the API words it: what becomes a `v1 Status` with `status: Failure`
 * (apimachinery pkg/api/errors).
 */
export interface ApiFailure {
  readonly code: number
  readonly reason?: string
  readonly message: string
  readonly details?: StatusDetails
  /** `metadata.continue` of the Status: only an expired list has it. */
  readonly resume?: string
  /** Answered as plain text, for paths that no resource has. */
  readonly plain?: boolean
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** What a refusal is about: a resource (`widgets`) or, for validation, a kind (`Widget`). */
export interface StatusSubject {
  readonly group: string
  readonly name: string
}

/** `widgets.ex.io`, `configmaps`. */
export const subjectText = (s: StatusSubject): string => (s.group === '' ? s.name : `${s.name}.${s.group}`)

const detailsOf = (s: StatusSubject, name: string): StatusDetails => ({
  name: name || undefined,
  group: s.group || undefined,
  kind: s.name,
})

/** The body of an answer; members that are undefined are left out when it is encoded. */
export function statusOf(f: ApiFailure): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: { continue: f.resume },
    status: 'Failure',
    message: f.message,
    reason: f.reason,
    details: f.details,
    code: f.code,
  }
}

export const notFound = (resource: StatusSubject, name: string): ApiFailure => ({
  code: 404,
  reason: 'NotFound',
  message: `${subjectText(resource)} "${name}" not found`,
  details: detailsOf(resource, name),
})

/** A path that nothing serves: text, no Status. */
export const pageNotFound: ApiFailure = { code: 404, message: '404 page not found\n', plain: true }

export const alreadyExists = (resource: StatusSubject, name: string): ApiFailure => ({
  code: 409,
  reason: 'AlreadyExists',
  message: `${subjectText(resource)} "${name}" already exists`,
  details: detailsOf(resource, name),
})

export const conflict = (resource: StatusSubject, name: string, why: string): ApiFailure => ({
  code: 409,
  reason: 'Conflict',
  message: `Operation cannot be fulfilled on ${subjectText(resource)} "${name}": ${why}`,
  details: detailsOf(resource, name),
})

/** The text of an optimistic lock that failed (apiserver pkg/registry/generic/registry). */
export const STALE =
  'the object has been modified; please apply your changes to the latest version and try again'

export const badRequest = (message: string): ApiFailure => ({ code: 400, reason: 'BadRequest', message })

/** An error without a reason of its own, as a Go error that no one wrapped. */
export const internal = (message: string): ApiFailure => ({ code: 500, message })

export const forbidden = (
  resource: StatusSubject,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): ApiFailure => ({
  code: 403,
  reason: 'Forbidden',
  message: name
    ? `${subjectText(resource)} "${name}" is forbidden: ${why}`
    : `${subjectText(resource)} is forbidden: ${why}`,
  details: { ...detailsOf(resource, name), causes },
})

export const methodNotSupported = (resource: StatusSubject, verb: string): ApiFailure => ({
  code: 405,
  reason: 'MethodNotAllowed',
  message: `${verb} is not supported on resources of kind "${subjectText(resource)}"`,
  details: { group: resource.group || undefined, kind: resource.name },
})

export const unsupportedMedia = (accepted: readonly string[]): ApiFailure => ({
  code: 415,
  reason: 'UnsupportedMediaType',
  message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
})

export const notAcceptable = (offered: readonly string[]): ApiFailure => ({
  code: 406,
  reason: 'NotAcceptable',
  message: `only the following media types are accepted: ${offered.join(', ')}`,
})

export const expired = (message: string, resume?: string): ApiFailure => ({
  code: 410,
  reason: 'Expired',
  message,
  resume,
})

export const tooLarge = (message: string): ApiFailure => ({
  code: 413,
  reason: 'RequestEntityTooLarge',
  message,
})

/** What this server knows of and does not serve: it says so. */
export const notServed = (what: string): ApiFailure => ({
  code: 501,
  reason: 'NotImplemented',
  message: `${what} is not served by the embedded API`,
})

export const timedOut = (wanted: string, current: number): ApiFailure => ({
  code: 504,
  reason: 'Timeout',
  message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
  details: {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  },
})

/** The texts of paths that only take other methods, or that are below such (apiserver pkg/endpoints). */
export const methodNotAllowed: ApiFailure = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
}

export const resourceNotFound: ApiFailure = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
}
