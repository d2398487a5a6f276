/** Answers, and random changes of their texts. */

import { ok } from '../env/result.ts'
import { seededRandom } from '../env/sim/seededrandom.ts'
import { configMapKind, namespaceKind } from '../kinds/types.ts'
import type { Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import type { Page } from './client.ts'
import { type Decoded, decodeDeletion, decodeJson, decodeObject, decodeWatchLine } from './decode.ts'
import { ListDecoder } from './listdecoder.ts'
import type { AskedObjects } from './objectfault.ts'

export const META = {
  name: 'a',
  namespace: 'default',
  uid: 'u1',
  resourceVersion: '7',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'a' },
  finalizers: ['example.com/x'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u2' }],
  managedFields: [
    {
      manager: 'm',
      operation: 'Apply' as const,
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': {} },
    },
  ],
}
export const OBJECT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: META,
  data: { text: 'é "quoted" \\ ' },
}
export const LIST = {
  apiVersion: 'v1',
  kind: 'ConfigMapList',
  metadata: { resourceVersion: '9' },
  items: [OBJECT],
}

export const ASKED: AskedObjects = { kind: configMapKind, key: { namespace: 'default', name: 'a' } }
export const OF_NAMESPACE: AskedObjects = { kind: configMapKind, key: { namespace: 'default' } }
export const CLUSTER_SCOPED: AskedObjects = { kind: namespaceKind, key: { name: 'kube-system' } }

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The page that arrives in these pieces. */
export function decodePage(pieces: readonly string[], asked: AskedObjects): Decoded<Page<KubeObject>> {
  const items: Stored[] = []
  const decoder = new ListDecoder(asked, (o) => items.push(o))
  for (const piece of pieces) if (decoder.push(bytes(piece))) break
  const head = decoder.end()
  return head.ok ? ok({ ...head.value, items }) : head
}

/** Every way in, on any text. */
const DECODERS: readonly ((text: string) => unknown)[] = [
  decodeJson,
  (text) => decodeObject(text, ASKED),
  (text) => decodeObject(text, { ...ASKED, isDryRun: true }),
  (text) => decodePage([text], OF_NAMESPACE),
  (text) => decodePage([...text], { ...OF_NAMESPACE, fields: 'metadata' }),
  (text) => decodeWatchLine(text, OF_NAMESPACE),
  (text) => decodeWatchLine(text, { ...OF_NAMESPACE, fields: 'metadata' }),
  (text) => decodeDeletion(text, ASKED),
]

const TEXTS = [
  OBJECT,
  LIST,
  { type: 'MODIFIED', object: OBJECT },
  { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion: '9' } } },
  { type: 'ERROR', object: { apiVersion: 'v1', kind: 'Status', code: 410, message: 'too old' } },
].map((o) => JSON.stringify(o))

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  'null',
  '0',
  '-',
  '1e999',
  '"__proto__":',
  '\u0000',
  '\u202e',
].concat('99999999999999999999999999', '{"a":'.repeat(600), '['.repeat(2000), '"\\ud800"', 'true', '<html>')

/** `count` texts with up to five random changes each. */
export function* mutatedTexts(count: number, texts: readonly string[], seed: string): Iterable<string> {
  const random = seededRandom(seed)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random.next() * all.length)]!
  for (let i = 0; i < count; i++) {
    let text = pick(texts)
    for (let left = 1 + Math.floor(random.next() * 5); left > 0; left--) {
      const from = Math.floor(random.next() * (text.length + 1))
      const to = random.next() < 0.5 ? from : Math.min(text.length, from + Math.floor(random.next() * 40))
      const other = pick(texts)
      const start = Math.floor(random.next() * other.length)
      const piece =
        random.next() < 0.6 ? pick(PIECES) : other.slice(start, start + Math.floor(random.next() * 60))
      text = text.slice(0, from) + piece + text.slice(to)
    }
    yield text
  }
}

/** Decodes `count` changed texts, each in one of the ways; throws the exception of a decoder. */
export function decodeMutations(
  count: number,
  seed: string,
): { readonly accepted: number; readonly refused: number } {
  let accepted = 0
  let i = 0
  for (const text of mutatedTexts(count, TEXTS, seed)) {
    const decoded = DECODERS[i++ % DECODERS.length]!(text) as {
      readonly ok: boolean
      readonly error?: { readonly problem: unknown }
    }
    if (decoded.ok) accepted++
    else if (typeof decoded.error?.problem !== 'string' || decoded.error.problem.length > 140)
      throw new Error(`a refusal without a short problem: ${JSON.stringify(decoded)}`)
  }
  return { accepted, refused: count - accepted }
}
