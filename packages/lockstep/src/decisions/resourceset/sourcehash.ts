/** What a source holds, as bytes, and the hash by which Cluster API tells whether it has changed. */
import { base64ToBytes, sha256Hex } from '@lockstep/kube/object'

/** A ConfigMap or a Secret of `spec.resources`, as the hub has it. */
export interface SourceData {
  readonly kind: string
  readonly data?: Readonly<Record<string, string>>
}

export interface KeyedValue {
  readonly key: string
  readonly bytes: Uint8Array
}

/**
 * The values of `data` by their keys, as Go sorts texts: byte by byte, `B` before `a`. Those of a Secret decoded.
 * `binaryData` is nothing to Cluster API (`normalizeData` in `clusterresourceset_helpers.go`).
 */
export function valuesInOrder({ kind, data = {} }: SourceData): KeyedValue[] {
  const encoder = new TextEncoder()
  const bytesOf = (text: string) => (kind === 'Secret' ? base64ToBytes(text) : encoder.encode(text))
  return Object.entries(data)
    .map(([key, text]) => ({ key, name: encoder.encode(key), bytes: bytesOf(text) }))
    .sort((a, b) => compareBytes(a.name, b.name))
    .map(({ key, bytes }) => ({ key, bytes }))
}

/** UTF-16, which `<` compares by, has another order beyond U+FFFF. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return a.length - b.length
}

/**
 * Over the values alone, one behind the other: no keys, no separators, so that a key that is renamed without another order
 * changes nothing (`computeHash`, the same since v0.3).
 */
export function upstreamHash(values: readonly Uint8Array[]): string {
  const all = new Uint8Array(values.reduce((sum, v) => sum + v.length, 0))
  let end = 0
  for (const value of values) {
    all.set(value, end)
    end += value.length
  }
  return `sha256:${sha256Hex(all)}`
}

export const sourceHash = (source: SourceData): string =>
  upstreamHash(valuesInOrder(source).map((v) => v.bytes))
