import { err, ok, type Result, type ServerResponse } from '@lockstep/kube/env'
import { goQuote } from '@lockstep/kube/fields'
import { failureAnswer, textAnswer } from '../render/jsonanswer.ts'
import type { ResourceAttributes } from './attributes.ts'
import type { Authorize } from './authorize.ts'
import { forbiddenAccess } from './forbiddenaccess.ts'
import type { User } from './user.ts'
import { ANONYMOUS, AUTHENTICATED, serviceAccountGroups, serviceAccountOf, UNAUTHENTICATED } from './user.ts'

type ImpersonationHeaders = Readonly<Record<string, string>>

const EXTRA = 'impersonate-extra-'
const AUTHENTICATION = 'authentication.k8s.io'

/** One thing that the request wants to be: `{ kind, namespace, name, group, key }` as upstream prints it. */
interface ImpersonatedPart {
  readonly kind: 'ServiceAccount' | 'User' | 'Group' | 'UserExtra' | 'UID'
  readonly namespace: string
  readonly name: string
  /** Which extra value. */
  readonly key: string
}

/**
 * Whom a request acts for: the user itself, or whom its headers name, each of them allowed by a right to `impersonate`
 * (apiserver pkg/endpoints/filters/impersonation).
 */
export function impersonated(
  user: User,
  request: { readonly url: string; readonly headers: ImpersonationHeaders },
  authorize: Authorize,
): Result<User, ServerResponse> {
  const parts = partsOf(request.headers)
  if (parts.length === 0) return ok(user)
  const main = parts.find((p) => p.kind === 'User' || p.kind === 'ServiceAccount')
  if (!main) return err(withoutUser(request.url, parts))
  for (const part of parts) {
    const attributes = attributesOf(part)
    const decision = authorize(user, attributes)
    if (!decision.allowed) return err(failureAnswer(forbiddenAccess(user, attributes, decision.reason)))
  }
  return ok(userOf(request.headers['impersonate-user'] ?? '', parts))
}

function partsOf(headers: ImpersonationHeaders): ImpersonatedPart[] {
  const out: ImpersonatedPart[] = []
  const user = headers['impersonate-user'] ?? ''
  const account = serviceAccountOf(user)
  if (account) out.push({ kind: 'ServiceAccount', ...account, key: '' })
  else if (user !== '') out.push(part('User', user))
  for (const group of values(headers['impersonate-group'])) out.push(part('Group', group))
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(EXTRA)) continue
    const key = unescaped(header.slice(EXTRA.length))
    for (const v of values(value)) out.push({ ...part('UserExtra', v), key })
  }
  const uid = headers['impersonate-uid'] ?? ''
  if (uid !== '') out.push(part('UID', uid))
  return out
}

const part = (kind: ImpersonatedPart['kind'], name: string): ImpersonatedPart => ({
  kind,
  namespace: '',
  name,
  key: '',
})

/**
 * Repeated headers come joined. A value with a comma of its own becomes several, and each of them has to be allowed, so
 * nobody gains a right by it.
 */
const values = (header: string | undefined): string[] =>
  header === undefined || header === '' ? [] : header.split(/, */)

/** Keys that do not fit into the name of a header are escaped as in paths. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

function attributesOf(p: ImpersonatedPart): ResourceAttributes {
  const shared = { verb: 'impersonate', group: '', subresource: '', namespace: p.namespace, name: p.name }
  switch (p.kind) {
    case 'ServiceAccount':
      return { ...shared, resource: 'serviceaccounts' }
    case 'User':
      return { ...shared, resource: 'users' }
    case 'Group':
      return { ...shared, resource: 'groups' }
    case 'UserExtra':
      return { ...shared, group: AUTHENTICATION, resource: 'userextras', subresource: p.key }
    case 'UID':
      return { ...shared, group: AUTHENTICATION, resource: 'uids' }
  }
}

function userOf(name: string, parts: readonly ImpersonatedPart[]): User {
  const account = serviceAccountOf(name)
  const given = parts.filter((p) => p.kind === 'Group').map((p) => p.name)
  const groups = given.length === 0 && account ? serviceAccountGroups(account.namespace) : given
  const always = name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED
  const extra: { [key: string]: string[] } = {}
  for (const p of parts) if (p.kind === 'UserExtra') extra[p.key] = [...(extra[p.key] ?? []), p.name]
  const uid = parts.find((p) => p.kind === 'UID')?.name
  return {
    name,
    groups: groups.includes(always) ? groups : [...groups, always],
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

function withoutUser(url: string, parts: readonly ImpersonatedPart[]): ServerResponse {
  const shown = parts.map((p) => {
    const version = p.kind === 'UserExtra' || p.kind === 'UID' ? `${AUTHENTICATION}/v1` : ''
    return `{${p.kind} ${p.namespace} ${p.name}  ${version}  ${p.key}}`
  })
  const text = `Internal Server Error: ${goQuote(url)}: requested [${shown.join(' ')}] without impersonating a user`
  return textAnswer(500, `${text}\n`)
}
