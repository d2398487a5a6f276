/** Identities of the objects of a revision, as its ControllerRevision records them. Pure. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { ok, type Result } from '@lockstep/kube/env'
import {
  base64ToBytes,
  bytesToBase64,
  type KubeObject,
  type ObjectReference,
  refOf,
  refText,
} from '@lockstep/kube/object'
import { type Dialects, deliveredObjects, type OrderFailure, type WriteMode } from '../order/index.ts'

/** An object of a revision. Its name and namespace may mention bindings. */
export interface ObjectClaim extends ObjectReference {
  /** Mode `IfNotPresent`: created if missing, and never owned. */
  readonly isUnowned: boolean
}

/** Modes of objects that the revision neither writes nor deletes. */
const UNCLAIMED: ReadonlySet<WriteMode> = new Set(['Ignore', 'Observe'])

const UNOWNED: WriteMode = 'IfNotPresent'

/**
 * `apps/Deployment shop/web`, `Namespace shop`, `ConfigMap shop/seed IfNotPresent`: sorted, without hooks and waits, and
 * without objects that are left alone.
 */
export function claimTextsOf(
  bundle: readonly KubeObject[],
  dialects: Dialects | undefined,
): Result<string[], OrderFailure> {
  const found = deliveredObjects(bundle, dialects)
  if (!found.ok) return found
  const claimed = found.value.filter(({ options }) => !UNCLAIMED.has(options.mode))
  const texts = claimed.map(({ object, options }) => {
    const text = refText(refOf(object))
    return options.mode === UNOWNED ? `${text} ${UNOWNED}` : text
  })
  return ok([...new Set(texts)].sort())
}

/** The other way round. */
export function parseClaim(text: string): ObjectClaim {
  const [type = '', key = '', mode] = text.split(' ')
  const [group, kind] = type.includes('/') ? (type.split('/') as [string, string]) : ['', type]
  const slash = key.indexOf('/')
  const name = key.slice(slash + 1)
  const isUnowned = mode === UNOWNED
  return slash < 0
    ? { group, kind, name, isUnowned }
    : { group, kind, namespace: key.slice(0, slash), name, isUnowned }
}

/** Bytes of claims above which a ControllerRevision has them compressed: an object of the API holds about 1.5 MiB. */
const PLAIN_BYTES = 256 * 1024
/** Bytes of decompressed claims at most. */
const MOST_BYTES = 64 * 1024 * 1024

/** Claims in the data of a ControllerRevision: a list, or lines that are compressed with gzip and encoded in base64. */
export type StoredClaims = readonly string[] | string

/** How claims are stored. */
export function packClaims(claims: readonly string[]): StoredClaims {
  const text = claims.join('\n')
  return text.length <= PLAIN_BYTES
    ? claims
    : bytesToBase64(gzipSync(new TextEncoder().encode(text), { level: 9 }))
}

/** Claims as they were stored; undefined: they are not readable, as if they had not been stored. */
export function unpackClaims(stored: StoredClaims): readonly string[] | undefined {
  if (typeof stored !== 'string') return stored
  try {
    const text = new TextDecoder().decode(gunzipSync(base64ToBytes(stored), { maxOutputLength: MOST_BYTES }))
    return text === '' ? [] : text.split('\n')
  } catch {
    return undefined
  }
}
