/** What the hub answered to a strategy that writes there, as promotions see failures. */

import { isTransient, type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { ExternalFailureKind } from '../../decisions/promotion/index.ts'

/** Of an object of the hub. */
export interface HubObjectFailure {
  readonly kind: Extract<
    ExternalFailureKind,
    | 'FieldOwned'
    | 'NothingToEdit'
    | 'Forbidden'
    | 'Invalid'
    | 'Stale'
    | 'RateLimited'
    | 'Unreachable'
    | 'Unexpected'
  >
  readonly wrote: 'no' | 'maybe'
  /** Which object; empty: the message says it. */
  readonly request: string
  readonly message: string
  readonly retryAfterMs?: number
}

export function hubFailure(what: string, e: RequestError): HubObjectFailure {
  const out = (kind: HubObjectFailure['kind'], message = requestErrorText(e)): HubObjectFailure => ({
    kind,
    wrote: e.wrote,
    request: what,
    message,
  })
  switch (e.kind) {
    case 'Conflict':
      return out('FieldOwned', ownedText(e.managers))
    case 'FenceLost':
    case 'NotFound':
    case 'AlreadyExists':
      return out('Stale')
    case 'Forbidden':
    case 'Unauthorized':
      return out('Forbidden')
    case 'Invalid':
      return out('Invalid')
    case 'Throttled':
      return { ...out('RateLimited'), retryAfterMs: e.retryAfterMs }
    case 'KindUnknown':
    case 'TooLarge':
    case 'Unreachable':
    case 'Deadline':
    case 'Expired':
    case 'Aborted':
    case 'Server':
      return out(isTransient(e) ? 'Unreachable' : 'Unexpected')
  }
}

/** `spec.release is owned by kustomize-controller; change it in Git or use pull-request`. */
const ownedText = (managers: readonly { readonly manager: string; readonly field: string }[]): string =>
  `${managers.map(({ manager, field }) => `${field.replace(/^\./, '')} is owned by ${manager}`).join(', ')}; change it in Git or use pull-request`
