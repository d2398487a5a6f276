import { err, ok, type Result, type ServerRequest } from '@lockstep/kube/env'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { unauthorized } from './forbiddenaccess.ts'
import { isIssued } from './tokens/issuer.ts'
import { AUDIENCE, accountOf } from './tokens/tokenclaims.ts'
import type { User } from './user.ts'
import { ADMIN, ANONYMOUS, authenticated } from './user.ts'

/** Who may come in. */
export interface AccessOptions {
  /** Users by their bearer tokens. Absent: tokens are not looked at. */
  readonly tokens?: ReadonlyMap<string, User>
  /**
   * Who a request without credentials is by. `admin`: an administrator, for servers that only this process or this
   * machine reaches. `nobody`: `system:anonymous`, who sees health and version. `refused`: 401.
   */
  readonly anonymous: 'admin' | 'nobody' | 'refused'
}

/** Who asks, and who else could: reviews answer about both. */
export interface Caller {
  readonly user: User
  readonly access: AccessOptions
}

/** For callers in this process. */
export const OPEN: AccessOptions = { anonymous: 'admin' }

/**
 * Who makes a request: by the certificate of its connection, else by its token. A token that is not known is an error even for
 * what needs none, where tokens are looked at, and of an account always (apiserver pkg/endpoints/filters/authentication.go).
 */
export function authenticate(
  cluster: EmbeddedCluster,
  request: ServerRequest,
  access: AccessOptions,
): Result<User, ApiFailure> {
  const { certificate } = request
  if (certificate)
    return ok(authenticated({ name: certificate.commonName, groups: certificate.organizations }))
  const token = bearerOf(request.headers.authorization)
  if (token !== undefined && (access.tokens || isIssued(token))) {
    const known = userOfToken(cluster, access, token, [AUDIENCE])
    return known.ok ? ok(known.value.user) : err(unauthorized)
  }
  if (access.anonymous === 'refused') return err(unauthorized)
  return ok(access.anonymous === 'admin' ? ADMIN : ANONYMOUS)
}

/** Whose a token is and for whom it is meant, or why it is nobody's. */
export function userOfToken(
  cluster: EmbeddedCluster,
  access: AccessOptions,
  token: string,
  audiences: readonly string[],
): ReturnType<typeof accountOf> {
  const user = access.tokens?.get(token)
  if (user) return ok({ user: authenticated(user), audiences })
  const account = isIssued(token) ? accountOf(cluster, token, audiences) : undefined
  if (account?.ok) return account
  return err(account ? `[invalid bearer token, ${account.error}]` : 'invalid bearer token')
}

/** Whether a request has a token of `access`, before it is known which cluster it is for. */
export const isKnownToken = (access: AccessOptions, { headers }: ServerRequest): boolean =>
  access.tokens?.has(bearerOf(headers.authorization) ?? '') ?? false

/** The token of `Authorization: Bearer …`; other schemes are passed over. */
function bearerOf(header: string | undefined): string | undefined {
  const m = /^bearer +(\S+)/i.exec(header ?? '')
  return m?.[1]
}
