import { err, ok, type Result, type ServerResponse } from '@lockstep/kube/env'
import { goQuote } from '@lockstep/kube/fields'
import { failureAnswer } from '../render/jsonanswer.ts'
import { badRequest } from '../status/apifailure.ts'
import type { Attributes, ResourceAttributes } from './attributes.ts'
import type { Authorize } from './authorize.ts'
import { forbiddenAccess } from './forbiddenaccess.ts'
import {
  ANONYMOUS,
  AUTHENTICATED,
  MASTERS,
  serviceAccountGroups,
  serviceAccountOf,
  UNAUTHENTICATED,
  type User,
} from './user.ts'

type ImpersonationHeaders = Readonly<Record<string, string>>

/** The user that the headers of a request name, before any check. */
interface WantedUser {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** A way to be allowed to impersonate; undefined where it does not apply to the wanted user. */
type ImpersonationMode = (wanted: WantedUser, attempt: Attempt) => Result<User, ServerResponse> | undefined

interface Attempt {
  readonly user: User
  /** The request itself: constrained modes allow some verbs only. */
  readonly request: Attributes
  readonly authorize: Authorize
}

const EXTRA = 'impersonate-extra-'
const AUTHENTICATION = 'authentication.k8s.io'
const NODE = 'system:node:'
const NODES = 'system:nodes'
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Requesters whose mode is remembered, as upstream. */
const MAX_REMEMBERED = 10_000

/**
 * Decides whom a request acts for: its own user, or the user that its headers name. The constrained modes of Kubernetes 1.36
 * are tried before the verb `impersonate`; the mode that a requester used last comes first, and the first refusal is
 * answered (apiserver pkg/endpoints/filters/impersonation). No requester here is bound to a node, so `associated-node` does
 * not apply.
 */
export class Impersonation {
  /** By name of the requester: index of the mode that allowed the last attempt. */
  private readonly lastModes = new Map<string, number>()

  userOf(
    attempt: Attempt,
    request: { readonly headers: ImpersonationHeaders },
  ): Result<User, ServerResponse> {
    const wanted = wantedUser(request.headers)
    if (wanted.name === '') return hasNameOnly(wanted) ? ok(attempt.user) : err(withoutName(wanted))
    const last = this.lastModes.get(attempt.user.name)
    const order = last === undefined ? ALL : [last, ...ALL.filter((i) => i !== last)]
    let refusal: Result<User, ServerResponse> | undefined
    for (const index of order) {
      const found = MODES[index]!(wanted, attempt)
      if (found?.ok) {
        this.remember(attempt.user.name, index)
        return found
      }
      refusal ??= found
    }
    return refusal!
  }

  private remember(name: string, index: number): void {
    this.lastModes.delete(name)
    this.lastModes.set(name, index)
    const [oldest] = this.lastModes.keys()
    if (this.lastModes.size > MAX_REMEMBERED && oldest !== undefined) this.lastModes.delete(oldest)
  }
}

const nodeName = (user: string): string | undefined =>
  user.startsWith(NODE) && DNS_SUBDOMAIN.test(user.slice(NODE.length)) ? user.slice(NODE.length) : undefined

const hasNameOnly = (w: WantedUser): boolean =>
  w.uid === '' && w.groups.length === 0 && Object.keys(w.extra).length === 0

const MODES: readonly ImpersonationMode[] = [
  constrained('arbitrary-node', (w) => hasNameOnly(w) && nodeName(w.name) !== undefined),
  constrained('serviceaccount', (w) => hasNameOnly(w) && serviceAccountOf(w.name) !== undefined),
  constrained('user-info', (w) => nodeName(w.name) === undefined && serviceAccountOf(w.name) === undefined),
  (wanted, attempt) => checked(wanted, attempt, { verb: 'impersonate', group: '', isConstrained: false }),
]
const ALL = MODES.map((_, i) => i)

/** `impersonate-on:<mode>:<verb>` allows the verb, `impersonate:<mode>` the user. */
function constrained(mode: string, applies: (w: WantedUser) => boolean): ImpersonationMode {
  return (wanted, attempt) => {
    if (!applies(wanted)) return undefined
    const { request } = attempt
    const on: Attributes = { ...request, verb: `impersonate-on:${mode}:${request.verb}` }
    const refused = refusalOf(attempt, on)
    if (refused) return err(refused)
    return checked(wanted, attempt, {
      verb: `impersonate:${mode}`,
      group: AUTHENTICATION,
      isConstrained: true,
    })
  }
}

interface ImpersonationCheck {
  readonly verb: string
  /** API group of users and groups. */
  readonly group: string
  readonly isConstrained: boolean
}

function checked(
  wanted: WantedUser,
  attempt: Attempt,
  check: ImpersonationCheck,
): Result<User, ServerResponse> {
  if (check.isConstrained && wanted.groups.includes(MASTERS)) {
    const attributes = attributesOf(check, 'groups', MASTERS)
    const text = 'impersonating the system:masters group is not allowed'
    // The order upstream: the name first, then the uid, then groups.
    const first = refusalOf(attempt, nameAttributes(wanted, check))
    return err(first ?? failureAnswer(forbiddenAccess(attempt.user, attributes, text)))
  }
  for (const attributes of rightsFor(wanted, check)) {
    const refused = refusalOf(attempt, attributes)
    if (refused) return err(refused)
  }
  return ok(impersonatedUser(wanted, check))
}

function refusalOf({ user, authorize }: Attempt, attributes: Attributes): ServerResponse | undefined {
  const decision = authorize(user, attributes)
  return decision.allowed ? undefined : failureAnswer(forbiddenAccess(user, attributes, decision.reason))
}

function* rightsFor(w: WantedUser, check: ImpersonationCheck): Iterable<ResourceAttributes> {
  yield nameAttributes(w, check)
  if (w.uid !== '') yield attributesOf({ ...check, group: AUTHENTICATION }, 'uids', w.uid)
  for (const group of w.groups) yield attributesOf(check, 'groups', group)
  for (const [key, values] of Object.entries(w.extra))
    for (const value of values)
      yield {
        ...attributesOf({ ...check, group: AUTHENTICATION }, 'userextras', value),
        subresource: key,
      }
}

function nameAttributes({ name }: WantedUser, check: ImpersonationCheck): ResourceAttributes {
  const account = serviceAccountOf(name)
  if (account)
    return { ...attributesOf(check, 'serviceaccounts', account.name), namespace: account.namespace }
  const node = check.isConstrained ? nodeName(name) : undefined
  return node === undefined ? attributesOf(check, 'users', name) : attributesOf(check, 'nodes', node)
}

const attributesOf = (
  { verb, group }: Pick<ImpersonationCheck, 'verb' | 'group'>,
  resource: string,
  name: string,
): ResourceAttributes => ({ verb, group, resource, subresource: '', namespace: '', name })

function wantedUser(headers: ImpersonationHeaders): WantedUser {
  const extra: { [key: string]: string[] } = {}
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(EXTRA)) continue
    const key = unescaped(header.slice(EXTRA.length))
    extra[key] = [...(extra[key] ?? []), ...values(value)]
  }
  return {
    name: headers['impersonate-user'] ?? '',
    uid: headers['impersonate-uid'] ?? '',
    groups: values(headers['impersonate-group']),
    extra,
  }
}

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

function impersonatedUser({ name, uid, groups, extra }: WantedUser, check: ImpersonationCheck): User {
  const account = serviceAccountOf(name)
  const fixed = check.isConstrained && nodeName(name) !== undefined ? [NODES] : groups
  const given = account && groups.length === 0 ? serviceAccountGroups(account.namespace) : fixed
  const always = name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED
  const hasOne = given.includes(always) || given.includes(UNAUTHENTICATED)
  return {
    name,
    groups: hasOne ? given : [...given, always],
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

/** The wanted user as Go's `%#v` prints it. */
function withoutName({ uid, groups, extra }: WantedUser): ServerResponse {
  const list = (of: readonly string[]): string => `[]string{${of.map((v) => goQuote(v)).join(', ')}}`
  const keys = Object.keys(extra).sort()
  const map = `{${keys.map((k) => `${goQuote(k)}:${list(extra[k]!)}`).join(', ')}}`
  const members = [
    'Name:""',
    `UID:${goQuote(uid)}`,
    `Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}`,
    `Extra:map[string][]string${keys.length === 0 ? '(nil)' : map}`,
  ]
  return failureAnswer(
    badRequest(`requested &user.DefaultInfo{${members.join(', ')}} without impersonating a user name`),
  )
}
