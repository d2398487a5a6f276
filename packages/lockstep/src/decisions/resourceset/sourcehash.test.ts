import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { sourceHash, upstreamHash, valuesInOrder } from './sourcehash.ts'

type Data = Readonly<Record<string, string>>
const configMap = (data: Data) => ({ kind: 'ConfigMap', data })
const secret = (data: Data) => ({
  kind: 'Secret',
  data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')])),
})

/** Of values whose hashes Cluster API has. */
const vectors: readonly (readonly [Data, string])[] = [
  [
    { 'b.yaml': 'y', 'a.yaml': 'x' },
    'sha256:769a4e6d0003189c7e96c5d9b7e810a0d11c3a12832527ec94b0f86d277f51ca',
  ],
  [{ one: 'xy' }, 'sha256:769a4e6d0003189c7e96c5d9b7e810a0d11c3a12832527ec94b0f86d277f51ca'],
  [
    { 'B.yaml': 'y', 'a.yaml': 'x' },
    'sha256:ec6aded56b9556c0fac421d34acaaeeb25a67cdc29b626e1c19cf9d2b70be057',
  ],
  [
    { 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: default\n' },
    'sha256:0325df53cdd9740946169d939fd7d8e2458735937f4093a6736e9918722911e5',
  ],
]

describe('the hash of a source', () => {
  it.each(vectors)('of %j is that of Cluster API', (data, hash) => {
    expect(sourceHash(configMap(data))).toBe(hash)
    expect(sourceHash(secret(data))).toBe(hash)
  })

  it('of no values is that of no bytes', () => {
    expect(upstreamHash([])).toBe(`sha256:${createHash('sha256').digest('hex')}`)
    expect(sourceHash({ kind: 'ConfigMap' })).toBe(upstreamHash([]))
  })

  it('does not care where one value ends, nor what a key is called', () => {
    const parts = ['x', 'yz'].map((t) => new TextEncoder().encode(t))
    expect(upstreamHash(parts)).toBe(sourceHash(configMap({ other: 'xyz' })))
  })

  it('has the bytes of a Secret, also those that are no text', () => {
    const bytes = Uint8Array.from([0, 255, 128, 10])
    const data = { k: Buffer.from(bytes).toString('base64') }
    expect(sourceHash({ kind: 'Secret', data })).toBe(upstreamHash([bytes]))
  })
})

it('keys come as their bytes do: capitals first, and what UTF-16 has before others behind them', () => {
  const keys = ['a', 'B', 'a.b', 'a-b', 'ab', '_', '\u{10000}', '\uffee']
  const data = Object.fromEntries(keys.map((k) => [k, '']))
  expect(valuesInOrder(configMap(data)).map((v) => v.key)).toEqual([
    'B',
    '_',
    'a',
    'a-b',
    'a.b',
    'ab',
    '\uffee',
    '\u{10000}',
  ])
})

/** The formula once more, by Node's own means. */
function expected(data: Data): string {
  const hash = createHash('sha256')
  const keys = Object.keys(data).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  for (const key of keys) hash.update(Buffer.from(data[key]!))
  return `sha256:${hash.digest('hex')}`
}

it('any data, as a ConfigMap and as a Secret', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 })
  const data = fc.dictionary(fc.oneof(fc.stringMatching(/^[-._a-zA-Z0-9]{1,8}$/), text), text, { maxKeys: 8 })
  decidesAlike(data, (d) => [sourceHash(configMap(d)), sourceHash(secret(d))], {
    'both hashes are the formula': (d, hashes) => expect(hashes).toEqual([expected(d), expected(d)]),
  })
})
