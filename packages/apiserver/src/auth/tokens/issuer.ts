import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { Random } from '@lockstep/kube/env'
import { isObject, type JsonObject } from '@lockstep/kube/object'

export const ISSUER = 'https://kubernetes.default.svc'

/** Signs tokens of one cluster, and knows them again: JSON web tokens with ES256 (RFC 7515, 7518). */
export class Issuer {
  private readonly random: Random
  private made: SigningKeys | undefined

  constructor(random: Random) {
    this.random = random
  }

  issue(claims: JsonObject): string {
    const { kid, secret } = this.keys()
    const head = encoded({ alg: 'ES256', kid })
    const signed = `${head}.${encoded(claims)}`
    const signature = sign('sha256', Buffer.from(signed), { key: secret, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }

  /** What a token says, if this cluster has signed it. */
  verified(token: string): JsonObject | undefined {
    const [head = '', body = '', signature = '', ...more] = token.split('.')
    const header = decoded(head)
    if (more.length > 0 || header?.alg !== 'ES256' || header.kid !== this.keys().kid) return undefined
    const isGenuine = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: this.keys().open, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    return isGenuine ? decoded(body) : undefined
  }

  /** The key that tokens can be verified with, for others (`/openid/v1/jwks`). */
  jwks(): JsonObject {
    const { kid, open } = this.keys()
    return { keys: [{ use: 'sig', kid, alg: 'ES256', ...(open.export({ format: 'jwk' }) as JsonObject) }] }
  }

  private keys(): SigningKeys {
    this.made ??= keysFrom(this.random)
    return this.made
  }
}

/** Whether a token says that a cluster has issued it: it need not be true. */
export const isIssued = (token: string): boolean => decoded(token.split('.')[1] ?? '')?.iss === ISSUER

interface SigningKeys {
  readonly kid: string
  readonly secret: KeyObject
  readonly open: KeyObject
}

/** Chance comes from the environment, so that the same seed has the same key. */
function keysFrom(random: Random): SigningKeys {
  const curve = createECDH('prime256v1')
  const d = random.bytes(32)
  curve.setPrivateKey(d)
  const point = curve.getPublicKey()
  const part = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: part(d),
    x: part(point.subarray(1, 33)),
    y: part(point.subarray(33)),
  }
  const secret = createPrivateKey({ key: jwk, format: 'jwk' })
  const open = createPublicKey(secret)
  const kid = createHash('sha256')
    .update(open.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
  return { kid, secret, open }
}

const encoded = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function decoded(part: string): JsonObject | undefined {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
