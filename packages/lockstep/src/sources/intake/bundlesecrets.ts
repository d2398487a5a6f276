/** Bundles: the manifests of one revision, content-addressed, as immutable Secrets. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { err, ok, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import {
  base64ToBytes,
  bytesToBase64,
  canonicalJson,
  type Digest,
  type Digester,
  encodeJson,
  isSecret,
  type KubeObject,
  parseJson,
  sha256Hex,
  short10,
} from '@lockstep/kube/object'
import { BUNDLE_DIGEST_ANNOTATION, BUNDLE_LABEL, BUNDLE_SECRET_TYPE } from '../../api/labels.ts'
import type { Values } from '../../decisions/binding/index.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

/** Name of an object among those that hold values of Secrets; its namespace may follow later. */
export const secretHolder = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `${apiVersion} ${kind} ${metadata.name}`

export interface Bundle {
  readonly digest: Digest
  readonly objects: readonly KubeObject[]
  /** It holds a Secret, or was made of one: its digests are keyed. */
  readonly sensitive: boolean
  /** Of one that is bound: what its values are there. */
  readonly values?: Values
  /** Objects that hold values of Secrets, by `secretHolder`. */
  readonly holders?: ReadonlySet<string>
}

/** Bytes of a shard's data before base64; with the index below the 1 MiB that a Secret may hold. */
const SHARD_BYTES = 900 * 1024
const MAX_SHARDS = 16
const FORMAT = 'bundle/1'

interface ShardIndex {
  readonly format: string
  readonly digest: Digest
  readonly sha256: string
  readonly size: number
  readonly objects: number
  readonly sensitive: boolean
  readonly shards: readonly { readonly name: string; readonly size: number; readonly sha256: string }[]
}

export const isSensitive = (objects: readonly KubeObject[]): boolean => objects.some(isSecret)

/** `digest`: keyed for bundles that are secret, plain for others. */
export const bundleOf = (objects: readonly KubeObject[], sensitive: boolean, digest: Digester): Bundle => ({
  digest: digest('bundle/1', objects),
  objects,
  sensitive,
})

export const bundleLabel = (digest: Digest): string => short10(digest)

/**
 * The Secrets that hold a bundle. The last one, with the index, is created last: a bundle exists once that exists.
 */
export function bundleSecrets(bundle: Bundle, namespace: string): Result<Secret[], SourceFailure> {
  const text = bundle.objects.map((o) => `${canonicalJson(o)}\n`).join('')
  const packed = gzipSync(text, { level: 9 })
  const pieces: Uint8Array[] = []
  for (let i = 0; i < packed.length || i === 0; i += SHARD_BYTES)
    pieces.push(packed.subarray(i, i + SHARD_BYTES))
  if (pieces.length > MAX_SHARDS) {
    const size = (packed.length / 1048576).toFixed(1)
    return err(
      fault('BundleTooLarge', {
        size: `${size} MiB gzipped`,
        limit: `${Math.floor((MAX_SHARDS * SHARD_BYTES) / 1048576)} MiB in Secrets`,
      }),
    )
  }
  const name = (n: number): string => `lockstep-bundle-${bundleLabel(bundle.digest)}-${n}`
  const index: ShardIndex = {
    format: FORMAT,
    digest: bundle.digest,
    sha256: sha256Hex(text),
    size: text.length,
    objects: bundle.objects.length,
    sensitive: bundle.sensitive,
    shards: pieces.map((p, n) => ({ name: name(n), size: p.length, sha256: sha256Hex(p) })),
  }
  const secrets = pieces.map((piece, n) =>
    secretOf(bundle.digest, namespace, name(n), piece, n === 0 ? index : undefined),
  )
  return ok([...secrets.slice(1), secrets[0]!])
}

function secretOf(
  digest: Digest,
  namespace: string,
  name: string,
  piece: Uint8Array,
  index: ShardIndex | undefined,
): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { [BUNDLE_LABEL]: bundleLabel(digest) },
      annotations: { [BUNDLE_DIGEST_ANNOTATION]: digest },
    },
    type: BUNDLE_SECRET_TYPE,
    immutable: true,
    data: {
      data: bytesToBase64(piece),
      ...(index ? { index: bytesToBase64(new TextEncoder().encode(encodeJson(index))) } : {}),
    },
  }
}

/** Puts a bundle together again and proves it: each shard, then the whole. Nothing half-read is ever used. */
export function bundleFromSecrets(digest: Digest, secrets: readonly Secret[]): Result<Bundle, SourceFailure> {
  const label = bundleLabel(digest)
  const byName = new Map(secrets.map((s) => [s.metadata.name ?? '', s]))
  const first = byName.get(`lockstep-bundle-${label}-0`)
  if (!first) return err(fault('BundleLost', { secret: `lockstep-bundle-${label}-0` }))
  const index = readIndex(first)
  if (!index || index.digest !== digest)
    return err(fault('BundleCorrupt', { place: `bundle ${label}`, because: 'Index' }))
  const pieces: Uint8Array[] = []
  for (const [n, shard] of index.shards.entries()) {
    const data = byName.get(shard.name)?.data?.data
    const piece = data === undefined ? undefined : base64ToBytes(data)
    if (!piece || sha256Hex(piece) !== shard.sha256) {
      return err(
        fault('BundleCorrupt', {
          place: `bundle ${label}`,
          because: 'Shard',
          shard: n + 1,
          shards: index.shards.length,
        }),
      )
    }
    pieces.push(piece)
  }
  return unpack(index, pieces)
}

function readIndex(secret: Secret): ShardIndex | undefined {
  const data = secret.data?.index
  if (data === undefined) return undefined
  try {
    return parseJson(new TextDecoder().decode(base64ToBytes(data))) as unknown as ShardIndex
  } catch {
    return undefined
  }
}

function unpack(index: ShardIndex, pieces: readonly Uint8Array[]): Result<Bundle, SourceFailure> {
  const corrupt = (because: 'Packed' | 'Content') =>
    err(fault('BundleCorrupt', { place: `bundle ${bundleLabel(index.digest)}`, because }))
  const packed = new Uint8Array(pieces.reduce((sum, p) => sum + p.length, 0))
  let offset = 0
  for (const p of pieces) {
    packed.set(p, offset)
    offset += p.length
  }
  let text: string
  try {
    // Bounded: what was packed says how large it is, and no bundle is larger than the limit.
    text = new TextDecoder().decode(gunzipSync(packed, { maxOutputLength: 256 * 1024 * 1024 }))
  } catch {
    return corrupt('Packed')
  }
  if (sha256Hex(text) !== index.sha256) return corrupt('Content')
  const objects = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as unknown as KubeObject)
  return ok({ digest: index.digest, objects, sensitive: index.sensitive })
}
