/** Pages of lists are decoded as a whole text is, in whatever pieces they arrive. */
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../env/sim/seededrandom.ts'
import { configMapKind } from '../kinds/types.ts'
import { encodeJson } from '../object/encode.ts'
import { bytes, decodePage, LIST, META, mutatedTexts, OBJECT, OF_NAMESPACE } from './decode.cases.ts'
import { ListDecoder } from './listdecoder.ts'

const problem = (decoded: { ok: boolean; error?: { problem: string } }): string =>
  decoded.ok ? 'taken' : (decoded.error?.problem ?? '')
const text = JSON.stringify
/** In bytes. */
const LENGTH = bytes(text(LIST)).length

describe('a page of a list', () => {
  it.each<[what: string, answer: string]>([
    ['its list', text(LIST)],
    ['a List', text({ ...LIST, kind: 'List' })],
    ['no items', text({ ...LIST, items: null })],
    ['items without a kind', text({ ...LIST, items: [{ metadata: META }] })],
  ])('%s is taken', (_, answer) => expect(problem(decodePage([answer], OF_NAMESPACE))).toBe('taken'))

  it.each<[what: string, answer: string, problem: string]>([
    ['another list', text({ ...LIST, kind: 'PodList' }), 'PodList where ConfigMapList of v1 was expected'],
    ['an object', text(OBJECT), 'ConfigMap where ConfigMapList of v1 was expected'],
    ['no version', text({ ...LIST, metadata: {} }), 'metadata.resourceVersion of the list is missing'],
    [
      'a token that is not a text',
      text({ ...LIST, metadata: { resourceVersion: '9', continue: 5 } }),
      'metadata.continue of the list is not a text',
    ],
    ['items that are not a list', text({ ...LIST, items: {} }), 'items of the list are not a list'],
    ['an item that is nothing', text({ ...LIST, items: [null] }), 'items[0]: metadata is missing'],
    [
      'an item of another kind',
      text({ ...LIST, items: [{ ...OBJECT, kind: 'Pod' }] }),
      'items[0]: Pod where ConfigMap of v1 was expected',
    ],
    [
      'an item of another namespace',
      text({ ...LIST, items: [OBJECT, { metadata: { ...META, namespace: 'b' } }] }),
      'items[1]: an object of another namespace, b',
    ],
    ['a cut end', text(LIST).slice(0, -3), `broken JSON at offset ${LENGTH - 3} of ${LENGTH - 3}`],
    [
      'a broken item',
      text(LIST).replace('"data"', 'data'),
      `broken JSON at offset ${text(LIST).indexOf('"data"')}`,
    ],
    ['broken JSON after its items', `${text(LIST).slice(0, -1)},}`, `broken JSON at offset ${LENGTH}`],
    ['an item without an end', text({ ...LIST, items: [] }).replace('[]', '[{]'), 'broken JSON at offset 87'],
    ['no item after a comma', text({ ...LIST, items: [] }).replace('[]', '[,]'), 'broken JSON at offset 86'],
    [
      'items that end as an object',
      text({ ...LIST, items: [] }).replace('[]', '[}'),
      'broken JSON at offset 86',
    ],
    ['nothing', '', 'broken JSON at offset 0'],
    ['two million values', `[${'{},'.repeat(1_500_000)}{}]`, 'over 2000000 values'],
  ])('%s is refused', (_, answer, expected) =>
    expect(problem(decodePage([answer], OF_NAMESPACE))).toBe(expected),
  )

  it('of metadata has the kind that was asked for', () => {
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: META }
    const list = {
      ...LIST,
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadataList',
      items: [partial],
    }
    const found = decodePage([text(list)], { ...OF_NAMESPACE, fields: 'metadata' })
    expect(found).toMatchObject({ ok: true, value: { items: [{ apiVersion: 'v1', kind: 'ConfigMap' }] } })
    expect(problem(decodePage([text({ ...list, items: [] })], OF_NAMESPACE))).toMatch(
      /^PartialObjectMetadataList where/,
    )
  })
})

/** Cuts a text at random places. */
function inPieces(whole: string, random: { next(): number }): readonly string[] {
  const pieces: string[] = []
  for (let from = 0; from < whole.length; ) {
    const to = from + 1 + Math.floor(random.next() * 40)
    pieces.push(whole.slice(from, to))
    from = to
  }
  return pieces
}

const LARGE = 12345678901234567890n

it('a page is the same in pieces of any length', () => {
  const random = seededRandom('pieces')
  const list = encodeJson({
    items: [
      { ...OBJECT, data: { a: '[{"items":[', b: '\\\\"', items: ']},' } },
      { metadata: { ...META, name: 'b' }, list: [[1, [2]], { items: [3] }], large: LARGE },
    ],
    kind: LIST.kind,
    apiVersion: LIST.apiVersion,
    metadata: LIST.metadata,
  })
  const whole = decodePage([list], OF_NAMESPACE)
  const names = ['a', 'b']
  expect(whole).toMatchObject({ ok: true, value: { items: names.map((name) => ({ metadata: { name } })) } })
  expect(whole.ok && whole.value.items[1]).toMatchObject({ list: [[1, [2]], { items: [3] }], large: LARGE })
  for (let i = 0; i < 200; i++) expect(decodePage(inPieces(list, random), OF_NAMESPACE)).toEqual(whole)
})

it('a list whose text is changed at random is taken as a whole text would be, or refused', () => {
  const random = seededRandom('lists')
  let taken = 0
  for (const changed of mutatedTexts(3000, [text(LIST)], 'lists')) {
    const whole = decodePage([changed], OF_NAMESPACE)
    expect(decodePage(inPieces(changed, random), OF_NAMESPACE)).toEqual(whole)
    if (!whole.ok) continue
    taken++
    expect(whole.value.items.length).toBe(JSON.parse(changed).items?.length ?? 0)
  }
  expect(taken).toBeGreaterThan(30)
})

it.each<[what: string, begun: string, problem: string]>([
  ['item', '{"items":[{"a":"', 'an item over 8 MiB'],
  ['text beside the items', '{"a":"', 'over 8 MiB beside its items'],
])('an endless %s is left at 8 MiB', (_, begun, expected) => {
  const decoder = new ListDecoder({ kind: configMapKind, key: {} }, () => {})
  decoder.push(bytes(begun))
  for (let i = 0; i < 127; i++) expect(decoder.push(bytes('x'.repeat(64 * 1024)))).toBeUndefined()
  expect(decoder.push(bytes('x'.repeat(64 * 1024)))).toEqual({ problem: expected, isTooLong: false })
})

it('items are passed on before the page is complete, and their texts are not kept', () => {
  const names: string[] = []
  const decoder = new ListDecoder({ kind: configMapKind, key: {} }, (o) => names.push(o.metadata.name))
  decoder.push(
    bytes('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":['),
  )
  const before = decoder.held
  for (let i = 0; i < 100; i++) {
    decoder.push(bytes(`${i > 0 ? ',' : ''}${text({ metadata: { ...META, name: `o${i}` } })}`))
    expect(names.length).toBe(i)
    expect(decoder.held - before).toBeLessThan(600)
  }
  expect(decoder.push(bytes(']}'))).toBeUndefined()
  expect(names.length).toBe(100)
})
