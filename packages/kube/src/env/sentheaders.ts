import type { Endpoint, ImpersonatedUser, RequestHeaders } from './net.ts'

/**
 * Headers of a request to an endpoint. A request that names a user acts as that user only: groups of the endpoint's own
 * impersonation would be rights that the user does not have.
 */
export function sentHeaders(
  { headers, impersonate }: Pick<Endpoint, 'headers' | 'impersonate'>,
  own: RequestHeaders,
): RequestHeaders {
  const isOther = impersonate === undefined || own['impersonate-user'] !== undefined
  return isOther ? { ...headers, ...own } : { ...headers, ...impersonationHeaders(impersonate), ...own }
}

/** Keys of `extra` are escaped as client-go escapes them (transport `headerKeyEscape`). */
function impersonationHeaders({ user, uid, groups, extra }: ImpersonatedUser): RequestHeaders {
  const others = Object.entries(extra ?? {}).map(
    ([key, values]) => [`impersonate-extra-${escapedKey(key)}`, values] as const,
  )
  return {
    'impersonate-user': user,
    ...(uid === undefined ? {} : { 'impersonate-uid': uid }),
    ...(groups === undefined || groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...Object.fromEntries(others),
  }
}

/** Escapes bytes that a header name may not contain, and `%`. */
const escapedKey = (key: string): string =>
  [...new TextEncoder().encode(key.toLowerCase())]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(char)
        ? char
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

/** As a server in this process gets them: values of one name joined. */
export const joinedHeaders = (headers: RequestHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isText(value) ? value : value.join(', ')]),
  )

const isText = (value: string | readonly string[]): value is string => typeof value === 'string'
