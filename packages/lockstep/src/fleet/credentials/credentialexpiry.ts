/** When a credential ends by itself: pure. */
import { X509Certificate } from 'node:crypto'
import { decodeJson } from '@lockstep/kube/client'
import type { Endpoint } from '@lockstep/kube/env'
import { at, base64ToBytes, parseTimestampMs } from '@lockstep/kube/object'

/** Milliseconds since the epoch: the earliest of `exp` of a JWT and `notAfter` of a certificate. Undefined: neither has one. */
export function credentialExpiry({ headers, tls }: Pick<Endpoint, 'headers' | 'tls'>): number | undefined {
  const ends = [tokenExpiry(headers?.authorization), certificateExpiry(tls?.cert)].filter(
    (t) => t !== undefined,
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** Tokens that are no JWT do not say when they end. */
function tokenExpiry(authorization: string | undefined): number | undefined {
  const [, payload] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/.exec(authorization ?? '') ?? []
  if (payload === undefined) return undefined
  const base64 = payload.replaceAll('-', '+').replaceAll('_', '/')
  const claims = decodeJson(new TextDecoder().decode(base64ToBytes(base64)))
  const exp = claims.ok ? at(claims.value, 'exp') : undefined
  return typeof exp === 'number' ? exp * 1000 : undefined
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Node prints `notAfter` as OpenSSL does: `Sep  3 21:40:37 2026 GMT`. */
function certificateExpiry(pem: string | undefined): number | undefined {
  const text = pem === undefined ? '' : (certificateOf(pem)?.validTo ?? '')
  const [, month = '', day = '', time, year] = /^(\w{3}) +(\d{1,2}) ([\d:]{8}) (\d{4}) GMT$/.exec(text) ?? []
  if (time === undefined) return undefined
  const date = [year, MONTHS.indexOf(month) + 1, day].map((n) => String(n).padStart(2, '0')).join('-')
  return parseTimestampMs(`${date}T${time}Z`)
}

/** The first certificate of a PEM text; undefined: the text has none that can be parsed. */
export function certificateOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}
