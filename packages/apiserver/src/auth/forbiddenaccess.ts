import { goQuote } from '@lockstep/kube/fields'
import type { ApiFailure } from '../status/apifailure.ts'
import { forbidden } from '../status/apifailure.ts'
import type { Attributes } from './attributes.ts'
import type { User } from './user.ts'

/** A refusal in the words of apiserver pkg/endpoints/handlers/responsewriters. `reason`: what the authorizer adds. */
export function forbiddenAccess(user: User, a: Attributes, reason = ''): ApiFailure {
  const why = escaped(sentence(user, a))
  const text = reason === '' ? why : `${why}: ${reason}`
  if ('path' in a) return { code: 403, reason: 'Forbidden', message: `forbidden: ${text}`, details: {} }
  return forbidden({ group: a.group, name: a.resource }, a.name, text)
}

function sentence(user: User, a: Attributes): string {
  const who = `User ${goQuote(user.name)} cannot ${a.verb}`
  if ('path' in a) return `${who} path ${goQuote(a.path)}`
  const resource = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`
  const what = `${who} resource ${goQuote(resource)} in API group ${goQuote(a.group)}`
  return a.namespace === ''
    ? `${what} at the cluster scope`
    : `${what} in the namespace ${goQuote(a.namespace)}`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const unauthorized: ApiFailure = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' }
