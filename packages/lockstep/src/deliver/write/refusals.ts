/** Refusals of a cluster as reasons with a message: what, where and why. Pure. */

import { isTransient, type RequestError, requestErrorText } from '@lockstep/kube/client'
import { unreachable } from '@lockstep/kube/env'
import { isSecret, type ObjectReference, refText } from '@lockstep/kube/object'
import type { BlockerReason } from '../../api/reasons/index.ts'

export interface WriteRefusal {
  readonly reason: BlockerReason
  readonly message: string
  readonly transient: boolean
  /** A dry run has said so. */
  readonly dryRun?: true
  /** Our caches did not show the object that was refused. */
  readonly unseen?: true
}

/** The messages by which causes say that a field cannot change in English, which all servers speak. Any other refusal is just that. */
const IMMUTABLE =
  /is immutable|immutable field|cannot change roleRef|updates to statefulset spec for fields other than|updates to parameters are forbidden|spec is immutable after creation/

/** Servers repeat all that is in a field that cannot change, before they say that it cannot: it says nothing, and hides the rest. */
const REPEATED = /^Invalid value: .*: (?=[^:]*$)/s

const causeText = (message: string): string =>
  IMMUTABLE.test(message) ? message.replace(REPEATED, '') : message

/** Of what was made of a Secret, whatever it is itself: servers quote what they refuse. */
export const refusal = (
  e: RequestError,
  { ref, fromSecret }: { readonly ref: ObjectReference; readonly fromSecret?: true },
): WriteRefusal => refusalOf(e, ref, fromSecret === true || isSecret(ref))

/** Values of Secrets never get into it. */
export function refusalOf(e: RequestError, ref: ObjectReference, isHidden = isSecret(ref)): WriteRefusal {
  const name = refText(ref)
  const failed = (reason: BlockerReason, text: string): WriteRefusal => ({
    reason,
    message: `${name}: ${text}`,
    transient: isTransient(e),
  })
  switch (e.kind) {
    case 'Conflict': {
      const who = e.managers.map((m) => `conflict with "${m.manager}" at ${m.field}`).join(', ')
      return failed('ApplyConflict', who)
    }
    case 'Invalid': {
      const causes =
        e.causes.map((c) => `${c.field}: ${isHidden ? 'refused' : causeText(c.message)}`).join(', ') ||
        secretSafe(e.message, isHidden)
      const isImmutable = e.causes.some((c) => IMMUTABLE.test(c.message))
      return failed(isImmutable ? 'ImmutableField' : 'ApplyFailed', causes)
    }
    case 'Forbidden':
      return failed(
        /exceeded quota/.test(e.message) ? 'QuotaExceeded' : 'Forbidden',
        secretSafe(e.message, isHidden),
      )
    case 'KindUnknown':
      return { ...failed('KindNotServed', 'the cluster does not serve its kind'), transient: true }
    case 'NotFound': {
      if (e.namespace === undefined)
        return { ...failed('ApplyFailed', 'is not there any more'), transient: true }
      const text = `Namespace ${e.namespace} does not exist; put it into the bundle, or create it`
      return { ...failed('ApplyFailed', text), transient: true }
    }
    case 'Server':
      return failed('ApplyFailed', secretSafe(`${e.status} ${e.message}`, isHidden))
    case 'Unreachable':
    case 'Deadline':
      return failed('ClusterUnreachable', requestErrorText(e))
    // It is the credential, not what is delivered: nothing of the content has failed.
    case 'Unauthorized':
      return { ...failed('ClusterUnreachable', requestErrorText(e)), transient: true }
    case 'AlreadyExists':
    case 'TooLarge':
    case 'FenceLost':
    case 'Expired':
    case 'Throttled':
    case 'Aborted':
      return failed('ApplyFailed', requestErrorText(e))
    default:
      return unreachable(e)
  }
}

/**
 * Why an object cannot be deleted, or let go of: an admission policy, a webhook, missing rights; or a server that is out
 * of order, for which time may help.
 */
export function deletionRefusal(e: RequestError, ref: ObjectReference): WriteRefusal {
  const failed = (text: string): WriteRefusal => ({
    reason: 'PruneBlocked',
    message: `${refText(ref)} is to go, and ${text}`,
    transient: isTransient(e),
  })
  switch (e.kind) {
    case 'Forbidden':
    case 'Invalid':
      return failed(`the cluster refuses that: ${secretSafe(e.message, isSecret(ref))}`)
    case 'Server':
      return failed(
        e.status < 500
          ? `the cluster refuses that: ${secretSafe(e.message, isSecret(ref))}`
          : `the cluster cannot do that now: ${e.status} ${secretSafe(e.message, isSecret(ref))}`,
      )
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
    case 'Deadline':
    case 'Aborted':
      return failed(`that has failed: ${requestErrorText(e)}`)
    default:
      return unreachable(e)
  }
}

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
  return 'refused by the server'
}
