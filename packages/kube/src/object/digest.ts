import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { canonicalJson } from './encode.ts'

/** `v1:<64 hex>`: SHA-256 over canonical JSON. The prefix names the algorithm, so that it can change without a rewrite. */
export type Digest = string

/** SHA-256 in hex. */
export function sha256Hex(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Digest of a value; `domain` keeps digests of different things apart. */
export function digestOf(domain: string, value: unknown): Digest {
  return `v1:${sha256Hex(`${domain}\n${canonicalJson(value)}`)}`
}

/** The ten hex digits that people see and that names carry. */
export function short10(digest: Digest): string {
  return digest.slice(digest.lastIndexOf(':') + 1).slice(0, 10)
}

/** Whether somebody means this digest: in full, or by its first ten digits. */
export const isNamed = (digest: Digest, by: string): boolean => by === digest || by === short10(digest)

/** A key for digests over secrets: its id goes into the digest, so that it can be told which key made it. */
export interface DigestKey {
  readonly kid: string
  readonly key: Uint8Array
}

/** Makes digests of one kind of content: plain, or keyed where secrets are in it. */
export type Digester = (domain: string, value: unknown) => Digest

/** `v1:<kid>:<64 hex>`, HMAC-SHA-256: whoever sees it learns nothing about a short secret. */
export function keyedDigester(key: DigestKey): Digester {
  return (domain, value) => {
    const mac = createHmac('sha256', key.key)
      .update(`${domain}\n${canonicalJson(value)}`)
      .digest('hex')
    return `v1:${key.kid}:${mac}`
  }
}

/** The id of the key that made a digest; undefined: it is plain. */
export function kidOf(digest: Digest): string | undefined {
  const [, kid, mac] = digest.split(':')
  return mac === undefined ? undefined : kid
}

/** HKDF-SHA-256: one stored key, a different one for each purpose and place. */
export function deriveKey(root: DigestKey, info: string): DigestKey {
  return {
    kid: root.kid,
    key: new Uint8Array(hkdfSync('sha256', root.key, 'lockstep.dev/hmac/v1', info, 32)),
  }
}
