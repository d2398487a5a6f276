import type { HostRefusal } from '../env/provenance.ts'
import { unreachable } from '../env/result.ts'
import { type ObjectReference, refText } from '../object/objectref.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'apply' | 'patch' | 'update' | 'delete' | 'discover'

/**
 * Everything that a request can end with, apart from its answer. A closed union: a switch over it is complete.
 * `wrote` says whether a write may have happened, which is the base of doing things exactly once.
 */
export type RequestError = {
  readonly cluster: string
  readonly verb: Verb
  readonly ref: ObjectReference
  readonly wrote: 'no' | 'maybe'
} /** `namespace`: it is not there, and the object would be in it. */ & (
  | { readonly kind: 'NotFound'; readonly namespace?: string }
  | { readonly kind: 'AlreadyExists' | 'Unauthorized' | 'KindUnknown' | 'TooLarge' }
  | { readonly kind: 'Forbidden'; readonly message: string }
  /** Server-side apply: others own fields. */
  | {
      readonly kind: 'Conflict'
      readonly managers: readonly { readonly manager: string; readonly field: string }[]
    }
  /** resourceVersion or uid differ from what the decision was made on. */
  | { readonly kind: 'FenceLost'; readonly message: string }
  | { readonly kind: 'Invalid'; readonly message: string; readonly causes: readonly FieldCause[] }
  /** 410: a continue token or a watch is too old. */
  | { readonly kind: 'Expired' }
  | { readonly kind: 'Throttled'; readonly retryAfterMs: number }
  | {
      readonly kind: 'Unreachable'
      readonly phase: 'dns' | 'connect' | 'tls' | 'send' | 'receive'
      readonly detail: string
      /** The host is not for the namespace that names it: nothing was sent. */
      readonly refused?: HostRefusal
    }
  | { readonly kind: 'Deadline' }
  | { readonly kind: 'Aborted' }
  | { readonly kind: 'Server'; readonly status: number; readonly message: string }
)

export interface FieldCause {
  readonly field: string
  readonly message: string
}

/** One line for people: what was tried on what, and how it ended. Never a body of a Secret: only the server's causes. */
export function requestErrorText(e: RequestError): string {
  return `${e.verb} ${refText(e.ref)}: ${reasonText(e)}`
}

function reasonText(e: RequestError): string {
  switch (e.kind) {
    case 'NotFound':
      return e.namespace === undefined ? 'not found' : `Namespace ${e.namespace} does not exist`
    case 'AlreadyExists':
      return 'already exists'
    case 'Unauthorized':
      return `${e.cluster} rejected the credentials`
    case 'KindUnknown':
      return `${e.cluster} does not serve this kind`
    case 'TooLarge':
      return 'too large for the server'
    case 'Forbidden':
    case 'FenceLost':
      return e.message
    case 'Conflict':
      return e.managers.map((m) => `conflict with "${m.manager}" at ${m.field}`).join(', ')
    case 'Invalid':
      return e.causes.length > 0 ? e.causes.map((c) => `${c.field}: ${c.message}`).join(', ') : e.message
    case 'Expired':
      return 'too old'
    case 'Throttled':
      return `asked to wait ${Math.ceil(e.retryAfterMs / 1000)}s`
    case 'Unreachable':
      return e.refused ? e.detail : `${e.phase}: ${e.detail}`
    case 'Deadline':
      return 'no answer in time'
    case 'Aborted':
      return 'stopped'
    case 'Server':
      return `${e.status} ${e.message}`
    default:
      return unreachable(e)
  }
}

/** Whether trying the same again later can help without anybody changing anything. */
export function isTransient(e: RequestError): boolean {
  switch (e.kind) {
    case 'Throttled':
    case 'Unreachable':
    case 'Deadline':
    case 'Expired':
    case 'FenceLost':
    case 'Aborted':
      return true
    case 'Server':
      return e.status >= 500
    case 'NotFound':
    case 'AlreadyExists':
    case 'Unauthorized':
    case 'KindUnknown':
    case 'TooLarge':
    case 'Forbidden':
    case 'Conflict':
    case 'Invalid':
      return false
    default:
      return unreachable(e)
  }
}
