/** When a credential ends by itself, and whose it is: pure. Nothing here is verified; the server decides. */
import { X509Certificate } from 'node:crypto'
import { decodeJson } from '@lockstep/kube/client'
import type { Endpoint } from '@lockstep/kube/env'
import { at, base64ToBytes, isString, type JsonValue, parseCertificateTimeMs } from '@lockstep/kube/object'

type Credential = Pick<Endpoint, 'headers' | 'tls'>

/** From when to when a credential is valid, in milliseconds since the epoch. */
export interface CredentialLife {
  readonly of: 'Token' | 'Certificate'
  /** Undefined: it does not say so. */
  readonly beganAt: number | undefined
  readonly endsAt: number
}

/** Milliseconds since the epoch: the earliest of `exp` of a JWT and `notAfter` of a certificate. Undefined: neither has one. */
export const credentialExpiry = (credential: Credential): number | undefined =>
  credentialLife(credential)?.endsAt

/** The life of token or certificate, whichever ends first. Undefined: neither says when it ends. */
export function credentialLife({ headers, tls }: Credential): CredentialLife | undefined {
  const [token, certificate] = [tokenLife(headers?.authorization), certificateLife(tls?.cert)]
  if (!token || !certificate) return token ?? certificate
  return token.endsAt <= certificate.endsAt ? token : certificate
}

/** The token says that it never ends, and nothing else of the credential does. */
export function isEndless({ headers, tls }: Credential): boolean {
  const claims = claimsOf(headers?.authorization)
  return claims !== undefined && secondsAt(claims, 'exp') === undefined && tls?.cert === undefined
}

/** `sub` of a JWT: `system:serviceaccount:<namespace>:<name>`. Undefined: the credential has no such token. */
export function tokenSubject({ headers }: Credential): string | undefined {
  const sub = at(claimsOf(headers?.authorization) ?? {}, 'sub')
  return isString(sub) && sub !== '' ? sub : undefined
}

function tokenLife(authorization: string | undefined): CredentialLife | undefined {
  const claims = claimsOf(authorization)
  if (claims === undefined) return undefined
  const endsAt = secondsAt(claims, 'exp')
  return endsAt === undefined ? undefined : { of: 'Token', beganAt: secondsAt(claims, 'iat'), endsAt }
}

/** Tokens that are no JWT say nothing. */
function claimsOf(authorization: string | undefined): JsonValue | undefined {
  const [, payload] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/.exec(authorization ?? '') ?? []
  if (payload === undefined) return undefined
  const base64 = payload.replaceAll('-', '+').replaceAll('_', '/')
  const claims = decodeJson(new TextDecoder().decode(base64ToBytes(base64)))
  return claims.ok ? claims.value : undefined
}

function secondsAt(claims: JsonValue, claim: string): number | undefined {
  const seconds = at(claims, claim)
  return typeof seconds === 'number' && seconds >= 0 && seconds < YEAR_10000 ? seconds * 1000 : undefined
}

/** Seconds since the epoch: nothing later is a time of RFC 3339. A forged token may name any number. */
const YEAR_10000 = 253_402_300_800

/** Node prints the times of a certificate as OpenSSL does. */
function certificateLife(pem: string | undefined): CredentialLife | undefined {
  const { validFrom = '', validTo = '' } = (pem === undefined ? undefined : certificateOf(pem)) ?? {}
  const endsAt = parseCertificateTimeMs(validTo)
  return endsAt === undefined
    ? undefined
    : { of: 'Certificate', beganAt: parseCertificateTimeMs(validFrom), endsAt }
}

/** The first certificate of a PEM text; undefined: the text has none that can be parsed. */
export function certificateOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}
