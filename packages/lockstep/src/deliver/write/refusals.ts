/** Refusals of a cluster as facts: the object, the reason and the error of the server. Pure. */

import { isTransient, type RequestError, requestErrorText } from '@lockstep/kube/client'
import { unreachable } from '@lockstep/kube/env'
import { isSecret, type ObjectReference, parseApiVersion } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'
import type { RefusalSubject } from './refusalsubject.ts'

export interface WriteRefusal extends NewBlocker {
  readonly transient: boolean
  /** A dry run has said so. */
  readonly dryRun?: true
  /** The object as the request found it; absent: as the caches show it. */
  readonly subject?: RefusalSubject
}

/** The object of a request. */
interface RefusedObject {
  readonly ref: ObjectReference & { readonly version?: string }
  readonly object?: { readonly apiVersion: string }
  /** Its manifest was in a Secret. */
  readonly fromSecret?: true
  /** For a person with the rights to read the Secrets: nothing is withheld. */
  readonly showsSecrets?: boolean
  /** Name of the cluster in the namespace of the unit; absent: as the client names it. */
  readonly cluster?: string
}

/** A refusal without what only its retries need. */
export const refusalBlocker = ({ reason, on, facts, message }: NewBlocker): NewBlocker => ({
  reason,
  on,
  facts,
  message,
})

/** The messages by which causes say that a field cannot change in English, which all servers speak. Any other refusal is just that. */
const IMMUTABLE =
  /is immutable|immutable field|cannot change roleRef|updates to statefulset spec for fields other than|updates to parameters are forbidden|spec is immutable after creation/

/** Servers repeat all that is in a field that cannot change, before they say that it cannot: it says nothing, and hides the rest. */
const REPEATED = /^Invalid value: .*: (?=[^:]*$)/s

/** `.spec.template is immutable`, `spec.replicas: must be positive`. */
function causeText({ field, message }: { readonly field: string; readonly message: string }): string {
  if (!IMMUTABLE.test(message)) return `${field}: ${message}`
  const problem = message.replace(REPEATED, '')
  return /^(?:Forbidden: )?field is immutable$/.test(problem)
    ? `.${field.replace(/^\./, '')} is immutable`
    : `${field}: ${problem}`
}

/** Values of Secrets never get into it: servers quote the objects that they refuse. */
export function refusal(
  e: RequestError,
  about: RefusedObject,
  action: 'Apply' | 'Delete' = 'Apply',
): WriteRefusal {
  const { ref, fromSecret, showsSecrets, object, cluster = e.cluster } = about
  const isHidden = showsSecrets !== true && (fromSecret === true || isSecret(ref))
  const { version } = object ? parseApiVersion(object.apiVersion) : ref
  const on = objectWaitRef({ ...ref, ...(version === undefined ? {} : { version }) }, cluster)
  const transient = isTransient(e)
  const failed = (error: string): WriteRefusal => ({
    ...blocked('ApplyFailed', [on], { action, because: transient ? 'Unavailable' : 'Refused', error }),
    transient,
  })
  switch (e.kind) {
    case 'Conflict':
      return { ...blocked('ApplyConflict', [on], { conflicts: e.managers }), transient }
    case 'Invalid': {
      const error =
        isHidden && e.causes.length > 0
          ? withheldText(`Invalid at ${e.causes.map((c) => fieldText(c.field)).join(', ')}`)
          : e.causes.map(causeText).join(', ') || secretSafe(e.message, isHidden)
      const isImmutable = e.causes.some((c) => IMMUTABLE.test(c.message))
      return isImmutable ? { ...blocked('ImmutableField', [on], { error }), transient } : failed(error)
    }
    case 'Forbidden': {
      const reason = /exceeded quota/.test(e.message) ? 'QuotaExceeded' : 'Forbidden'
      return { ...blocked(reason, [on], { action, error: secretSafe(e.message, isHidden) }), transient }
    }
    case 'KindUnknown': {
      const { apiVersion, kind } = on.object!
      return { ...blocked('KindNotServed', [on], { apiVersion, kind, action: 'Apply' }), transient: true }
    }
    case 'NotFound': {
      const { namespace } = e
      const because = namespace === undefined ? 'Deleted' : 'NamespaceNotFound'
      return { ...blocked('ApplyFailed', [on], { action, because, namespace }), transient: true }
    }
    case 'Server':
      return failed(secretSafe(`${e.status} ${e.message}`, isHidden))
    case 'Unreachable':
    case 'Deadline':
      return noAnswer(e, cluster)
    case 'Malformed':
      return answerRefused(e, cluster)
    // It is the credential, not the content: nothing of the content has failed.
    case 'Unauthorized':
      return { ...noAnswer(e, cluster), transient: true }
    case 'AlreadyExists':
    case 'TooLarge':
    case 'FenceLost':
    case 'Expired':
    case 'Throttled':
    case 'Aborted':
      return failed(requestErrorText(e))
    default:
      return unreachable(e)
  }
}

const noAnswer = (e: RequestError, cluster: string): WriteRefusal => ({
  ...blocked('ClusterUnreachable', [{ kind: 'Cluster', name: cluster }], { error: requestErrorText(e) }),
  transient: isTransient(e),
})

const answerRefused = (e: RequestError, cluster: string): WriteRefusal => ({
  ...blocked('AnswerRefused', [{ kind: 'Cluster', name: cluster }], { error: requestErrorText(e) }),
  transient: isTransient(e),
})

/**
 * Why an object cannot be deleted, or orphaned: an admission policy, a webhook, missing rights; or a server that is out
 * of order, for which time may help.
 */
export function deletionRefusal(
  e: RequestError,
  ref: RefusedObject['ref'],
  cluster: string = e.cluster,
): WriteRefusal {
  const failed = (because: 'Refused' | 'Unavailable' | 'Failed', error: string): WriteRefusal => ({
    ...blocked('PruneBlocked', [objectWaitRef(ref, cluster)], { because, error }),
    transient: isTransient(e),
  })
  switch (e.kind) {
    case 'Forbidden':
    case 'Invalid':
      return failed('Refused', secretSafe(e.message, isSecret(ref)))
    case 'Server':
      return e.status < 500
        ? failed('Refused', secretSafe(e.message, isSecret(ref)))
        : failed('Unavailable', `${e.status} ${secretSafe(e.message, isSecret(ref))}`)
    case 'NotFound':
    case 'KindUnknown':
    case 'Conflict':
    case 'AlreadyExists':
    case 'Unauthorized':
    case 'TooLarge':
    case 'FenceLost':
    case 'Expired':
    case 'Throttled':
    case 'Unreachable':
    case 'Malformed':
    case 'Deadline':
    case 'Aborted':
      return failed('Failed', requestErrorText(e))
    default:
      return unreachable(e)
  }
}

/** The server quotes the object that it refuses, in whatever notation: nothing of that is repeated. */
const withheldText = (what: string): string =>
  `${what} (the text of the server is withheld: the object holds values of a Secret)`

/** A field may be the key of a map, and the key a value. */
const fieldText = (field: string): string => (/^\.?[A-Za-z][\w.[\]/-]*$/.test(field) ? field : 'a field')

/** What may be told of a refusal: who refuses, which policies name before what they say; a lacking right; a quota. */
const SAFE: readonly RegExp[] = [
  /^(?:\w+ "[^"]*" is forbidden: )?(?:admission webhook|ValidatingAdmissionPolicy) [^:]*? denied (?:the )?request/,
  /User "[^"]*" cannot \w+ resource "[^"]*" in API group "[^"]*"(?: in the namespace "[^"]*"| at the cluster scope)?/,
  /exceeded quota: [a-z0-9.-]+/,
]

/** Servers, and policies, quote what they refuse. */
function secretSafe(message: string, isHidden: boolean): string {
  if (!isHidden) return message
  for (const safe of SAFE) {
    const [said] = safe.exec(message) ?? []
    if (said !== undefined) return said
  }
  return withheldText('refused')
}
