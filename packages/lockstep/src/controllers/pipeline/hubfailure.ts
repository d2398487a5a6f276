/** Answers of the hub to a strategy that writes Modules, as failures of promotions. */

import { isTransient, type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { NewBlocker } from '../../api/blocker.ts'
import type { ExternalFailureKind, PromotionObject } from '../../decisions/promotion/index.ts'

/** A failed write of a Module. */
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
  readonly module: PromotionObject
  readonly request: ''
  readonly message: string
  /** Present for `NothingToEdit`. */
  readonly refusal?: NewBlocker
  /** Present for `FieldOwned`. */
  readonly managers?: readonly ManagedField[]
  readonly retryAfterMs?: number
}

/** A field with another field manager. */
export interface ManagedField {
  readonly manager: string
  readonly field: string
}

export function hubFailure(module: PromotionObject, e: RequestError): HubObjectFailure {
  const out = (kind: HubObjectFailure['kind']): HubObjectFailure => ({
    kind,
    wrote: e.wrote,
    module,
    request: '',
    message: requestErrorText(e),
  })
  switch (e.kind) {
    case 'Conflict':
      return { ...out('FieldOwned'), managers: e.managers }
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
    case 'Malformed':
    case 'Deadline':
    case 'Expired':
    case 'Aborted':
    case 'Server':
      return out(isTransient(e) ? 'Unreachable' : 'Unexpected')
  }
}
