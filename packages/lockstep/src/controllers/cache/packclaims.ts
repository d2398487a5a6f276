/** Claims in the data of a ControllerRevision: a list, or lines that are compressed with gzip and encoded in base64. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { base64ToBytes, bytesToBase64, isArray, isString, type JsonValue } from '@lockstep/kube/object'

/** Bytes of claims above which a ControllerRevision has them compressed: an object of the API holds about 1.5 MiB. */
const PLAIN_BYTES = 256 * 1024
/** Bytes of decompressed claims at most. */
const MOST_BYTES = 64 * 1024 * 1024

export type StoredClaims = readonly string[] | string

/** How claims are stored. */
export function packClaims(claims: readonly string[]): StoredClaims {
  const text = claims.join('\n')
  return text.length <= PLAIN_BYTES
    ? claims
    : bytesToBase64(gzipSync(new TextEncoder().encode(text), { level: 9 }))
}

/** Claims as they were stored; undefined: they are not readable, as if they had not been stored. */
export function unpackClaims(stored: JsonValue | undefined): readonly string[] | undefined {
  if (isArray(stored)) return stored.every(isString) ? stored : undefined
  if (!isString(stored)) return undefined
  try {
    const text = new TextDecoder().decode(gunzipSync(base64ToBytes(stored), { maxOutputLength: MOST_BYTES }))
    return text === '' ? [] : text.split('\n')
  } catch {
    return undefined
  }
}
