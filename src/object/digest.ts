import { createHash } from 'node:crypto'
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
