import { err, ok, type Result } from '@lockstep/kube/env'
import {
  at,
  isArray,
  isString,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '@lockstep/kube/object'
import type { EmbeddedCluster } from '../../server/embeddedcluster.ts'
import type { User } from '../user.ts'
import { AUTHENTICATED, serviceAccountGroups, serviceAccountName } from '../user.ts'
import { ISSUER } from './issuer.ts'

/** Whom tokens for the API server itself are for. */
export const AUDIENCE = ISSUER
const EXTRA = 'authentication.kubernetes.io'

/** What a token may be bound to: it ends with that. */
const BOUND = [
  { claim: 'pod', kind: 'Pod', plural: 'pods', namespaced: true },
  { claim: 'secret', kind: 'Secret', plural: 'secrets', namespaced: true },
  { claim: 'node', kind: 'Node', plural: 'nodes', namespaced: false },
] as const
export type Bindable = (typeof BOUND)[number]

export const bindable = (kind: string): Bindable | undefined => BOUND.find((b) => b.kind === kind)

export function liveObject(
  cluster: EmbeddedCluster,
  plural: string,
  namespace: string,
  name: string,
): KubeObject | undefined {
  const key = namespace === '' ? name : `${namespace}/${name}`
  return cluster.kinds.find('', 'v1', plural)?.table.live.get(key)?.object
}

/** What a token of an account says (kubernetes pkg/serviceaccount/claims.go). Times in seconds. */
export function tokenClaims(
  cluster: EmbeddedCluster,
  account: KubeObject,
  audiences: readonly string[],
  seconds: number,
  bound: { readonly to: Bindable; readonly object: KubeObject } | undefined,
): JsonObject {
  const now = Math.floor(cluster.env.clock.now() / 1000)
  const { namespace = '' } = account.metadata
  return {
    aud: [...audiences],
    exp: now + seconds,
    iat: now,
    iss: ISSUER,
    jti: cluster.env.random.uuid(),
    'kubernetes.io': {
      namespace,
      serviceaccount: reference(account),
      ...(bound ? { [bound.to.claim]: reference(bound.object) } : {}),
    },
    nbf: now,
    sub: serviceAccountName(namespace, account.metadata.name ?? ''),
  }
}

const reference = ({ metadata: { name, uid } }: KubeObject): JsonObject => ({ name, uid })

/**
 * The account of a token that is for one of the audiences, or why it is none. Everything that it names is looked at each time:
 * a token ends with its account and with what it is bound to.
 */
export function accountOf(
  cluster: EmbeddedCluster,
  token: string,
  audiences: readonly string[],
): Result<{ readonly user: User; readonly audiences: readonly string[] }, string> {
  const claims = cluster.issuer.verified(token)
  if (!claims || claims.iss !== ISSUER) return err('invalid signature')
  const given = isArray(claims.aud) ? claims.aud.filter(isString) : []
  const meant = given.filter((a) => audiences.includes(a))
  if (meant.length === 0)
    return err(`token audiences ${quoted(given)} is invalid for the target audiences ${quoted(audiences)}`)
  const now = cluster.env.clock.now() / 1000
  if (!(Number(claims.exp) > now)) return err('service account token has expired')
  if (!(Number(claims.nbf) <= now)) return err('service account token is not valid yet')
  const missing = missingOf(cluster, claims)
  return missing === undefined ? ok({ user: userOf(claims), audiences: meant }) : err(missing)
}

const quoted = (list: readonly string[]): string => `[${list.map((a) => JSON.stringify(a)).join(' ')}]`

const text = (v: JsonValue | undefined): string => (isString(v) ? v : '')

function missingOf(cluster: EmbeddedCluster, claims: JsonObject): string | undefined {
  const of = (...path: string[]): string => text(at(claims, 'kubernetes.io', ...path))
  const account = { claim: 'serviceaccount', plural: 'serviceaccounts', namespaced: true }
  for (const { claim, plural, namespaced } of [account, ...BOUND]) {
    const [name, uid] = [of(claim, 'name'), of(claim, 'uid')]
    if (name === '' && claim !== 'serviceaccount') continue
    const live = liveObject(cluster, plural, namespaced ? of('namespace') : '', name)
    if (!live) return `${plural} ${JSON.stringify(name)} not found`
    if (live.metadata.uid !== uid) return `the ${claim} ${name} has been recreated since the token was issued`
  }
  return undefined
}

function userOf(claims: JsonObject): User {
  const of = (...path: string[]): string => text(at(claims, 'kubernetes.io', ...path))
  const namespace = of('namespace')
  const pod = of('pod', 'name')
  return {
    name: serviceAccountName(namespace, of('serviceaccount', 'name')),
    uid: of('serviceaccount', 'uid'),
    groups: [...serviceAccountGroups(namespace), AUTHENTICATED],
    extra: {
      [`${EXTRA}/credential-id`]: [`JTI=${text(claims.jti)}`],
      ...(pod === '' ? {} : { [`${EXTRA}/pod-name`]: [pod], [`${EXTRA}/pod-uid`]: [of('pod', 'uid')] }),
    },
  }
}
