import type { ServerRequest } from '../../env/net.ts'
import type { Result } from '../../env/result.ts'
import { err, ok } from '../../env/result.ts'
import type { ApiFailure } from '../status/failure.ts'
import { unauthorized } from './forbidden.ts'
import type { User } from './user.ts'
import { ADMIN, ANONYMOUS, authenticated } from './user.ts'

/** Who may come in. */
export interface Access {
  /** Users by their bearer tokens. Absent: tokens are not looked at. */
  readonly tokens?: ReadonlyMap<string, User>
  /**
   * Who a request without credentials is by. `admin`: an administrator, for servers that only this process or this
   * machine reaches. `nobody`: `system:anonymous`, who sees health and version.
   */
  readonly anonymous: 'admin' | 'nobody'
}

/** For callers in this process. */
export const OPEN: Access = { anonymous: 'admin' }

/**
 * Who makes a request: by the certificate of its connection, else by its token. Where tokens are looked at, one that is
 * not known is an error even for what needs none (apiserver pkg/endpoints/filters/authentication.go).
 */
export function authenticate(request: ServerRequest, access: Access): Result<User, ApiFailure> {
  const { certificate } = request
  if (certificate)
    return ok(authenticated({ name: certificate.commonName, groups: certificate.organizations }))
  const token = access.tokens && bearerOf(request.headers.authorization)
  if (token === undefined) return ok(access.anonymous === 'admin' ? ADMIN : ANONYMOUS)
  const user = access.tokens?.get(token)
  return user ? ok(authenticated(user)) : err(unauthorized)
}

/** The token of `Authorization: Bearer …`; other schemes are passed over. */
function bearerOf(header: string | undefined): string | undefined {
  const m = /^bearer +(\S+)/i.exec(header ?? '')
  return m?.[1]
}
