import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { SET_SECRET_TYPE } from '../../api/kinds/clusterresourceset/spec.ts'
import { sourceDocuments } from './sourcedocuments.ts'
import { sourceHash } from './sourcehash.ts'
import { namespaceProblem, parseSourceObjects, type SourceObject } from './sourceobjects.ts'

type Data = Readonly<Record<string, string>>
const metadata = { name: 'a', namespace: 'default' }
const configMap = (data?: Data): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
const secret = (data: Data, type = SET_SECRET_TYPE): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  type,
  data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')])),
})

function objectsOf(source: KubeObject): readonly SourceObject[] {
  const parsed = parseSourceObjects(source)
  if (!parsed.ok) throw new Error(parsed.error.map((p) => p.message).join('\n'))
  return parsed.value.objects
}
const named = (source: KubeObject): string[] =>
  objectsOf(source).map(({ object }) => `${object.kind} ${object.metadata.name}`)

function problemsOf(source: KubeObject): string[] {
  const parsed = parseSourceObjects(source)
  return parsed.ok ? [] : parsed.error.map((p) => `${p.reason}: ${p.message}`)
}

const manifest = (kind: string, name: string) =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: x}\n`

describe('the objects of a source', () => {
  it('come value by value as their keys do, and within a value as Cluster API creates them', () => {
    const first = ['Deployment', 'Endpoint', 'Endpoints', 'ConfigMap', 'Secret', 'Service', 'Namespace']
    const data = {
      'b.yaml': manifest('Namespace', 'late'),
      'a.yaml': first.map((kind, i) => manifest(kind, `n${i}`)).join('---\n'),
    }
    const expected = [
      'Namespace n6',
      'Secret n4',
      'ConfigMap n3',
      'Endpoint n1',
      'Deployment n0',
      'Endpoints n2',
      'Service n5',
      'Namespace late',
    ]
    expect(named(configMap(data))).toEqual(expected)
    expect(named(secret(data))).toEqual(expected)
  })

  it('say where they stand: key and document, of which empty ones are none', () => {
    const text = `# first\n---\n${manifest('Pod', 'p')}---\n---\n# nothing\n---\n${manifest('Namespace', 'ns')}...\n`
    expect(
      objectsOf(configMap({ k: text })).map((o) => [o.object.kind, o.key, o.document, o.origin]),
    ).toEqual([
      ['Namespace', 'k', 2, 'ConfigMap default/a key k document 2'],
      ['Pod', 'k', 1, 'ConfigMap default/a key k document 1'],
    ])
  })

  it('of a JSON array are its elements, also behind white space', () => {
    const list = [
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
    ]
    const found = objectsOf(configMap({ k: `\n  ${JSON.stringify(list, null, '\t')}` }))
    expect(found.map((o) => o.origin)).toEqual([
      'ConfigMap default/a key k element 2',
      'ConfigMap default/a key k element 1',
    ])
    expect(named(configMap({ k: '[]' }))).toEqual([])
  })

  it('of a List are its items, which may leave out what the list says', () => {
    const roles =
      '{apiVersion: v1, kind: ConfigMapList, items: [{metadata: {name: b}}, {metadata: {name: c}}]}'
    const list = `{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: p}}, ${roles}]}`
    expect(named(configMap({ k: list }))).toEqual(['ConfigMap b', 'ConfigMap c', 'Pod p'])
    expect(objectsOf(configMap({ k: list }))[1]?.origin).toBe(
      'ConfigMap default/a key k document 1 items[1] items[1]',
    )
  })

  it('have the values that YAML 1.1 gives them, and of a repeated key the last', () => {
    const text = `${manifest('ConfigMap', 'x')}data: {a: 1}\ndata: {b: yes, c: 0644, d: "0644"}\n`
    expect(objectsOf(configMap({ k: text }))[0]?.object.data).toEqual({ b: true, c: 420, d: '0644' })
  })

  it.each([
    ['no text', ''],
    ['a comment', '# x'],
    ['a line', '---\n'],
    ['lines', '---\n---\n---'],
    ['null', 'null'],
  ])('a short value is read as any other: %s', (_, text) => {
    expect(named(configMap({ k: text, other: manifest('Pod', 'p') }))).toEqual(['Pod p'])
  })

  it('a document of 31 bytes counts', () => {
    const text = '{apiVersion: v1, kind: A, metadata: {name: b}}'
    const short = 'apiVersion: v1\nkind: A\nmetadata:\n name: b'
    expect(named(configMap({ k: text }))).toEqual(['A b'])
    expect(named(configMap({ k: short }))).toEqual(['A b'])
    const found = sourceDocuments(new TextEncoder().encode('{kind: A, metadata: {name: ab}}'), false)
    expect(found).toEqual({
      ok: true,
      value: [{ value: { kind: 'A', metadata: { name: 'ab' } }, number: 1, place: 'document 1' }],
    })
  })

  it('come with the hash of the source', () => {
    const source = configMap({ k: manifest('Pod', 'p') })
    expect(parseSourceObjects(source)).toMatchObject({
      ok: true,
      value: { hash: sourceHash(source as never) },
    })
  })
})

describe('a source of which nothing is delivered', () => {
  const at = 'InvalidResource: ConfigMap default/a key'
  it.each<readonly [string, Data, string]>([
    ['an array that is cut', { 'x.json': '[{"kind":' }, `${at} x.json: JSON array ends at byte 9`],
    ['also in a text', { k: '["ä' }, `${at} k: JSON array ends at byte 4`],
    ['an array that is broken', { k: '["ä", x]' }, `${at} k: JSON array breaks at byte 7`],
    ['something behind an array', { k: '[] 1' }, `${at} k: JSON array breaks at byte 3`],
    [
      'YAML that is none, by its place in the value',
      { k: `${manifest('Pod', 'ä')}---\n---\na: b: c\n` },
      `${at} k document 2: is not YAML at byte 72 (line 6, column 5): bad indentation of a mapping entry`,
    ],
    [
      'a text instead of a manifest',
      { k: 'hello' },
      `${at} k document 1: is not an object; write a manifest with apiVersion, kind and metadata.name`,
    ],
    [
      'null in an array',
      { k: '[null]' },
      `${at} k element 1: is not an object; write a manifest with apiVersion, kind and metadata.name`,
    ],
    ['no apiVersion', { k: 'kind: Pod' }, `${at} k document 1: has no apiVersion; add it`],
    ['no kind', { k: 'apiVersion: v1' }, `${at} k document 1: has no kind; add it`],
    ['no name', { k: 'apiVersion: v1\nkind: Pod' }, `${at} k document 1: has no metadata.name; add it`],
    [
      'a namespace that is a number',
      { k: 'apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: 5}' },
      `${at} k document 1: has a metadata.namespace that is not a string; quote it`,
    ],
    [
      'an item of a list',
      { k: '{apiVersion: v1, kind: PodList, items: [{metadata: {name: p}}, {}]}' },
      `${at} k document 1 items[1]: has no metadata.name; add it`,
    ],
  ])('%s', (_, data, message) => {
    expect(problemsOf(configMap(data))).toEqual([message])
  })

  it('tells of each value, and of each document', () => {
    const data = { b: 'x: [', a: 'kind: A\n---\nkind: B' }
    expect(problemsOf(configMap(data)).map((m) => m.split(':')[1])).toEqual([
      ' ConfigMap default/a key a document 1',
      ' ConfigMap default/a key a document 2',
      ' ConfigMap default/a key b document 1',
    ])
  })

  it('has no data', () => {
    const text = 'failed to get data field from resource default/a'
    expect(problemsOf(configMap())[0]).toContain(text)
    expect(problemsOf(configMap({}))).toEqual([
      `InvalidResource: ${text}: ConfigMap has no data; put the manifests into data`,
    ])
    expect(problemsOf({ ...configMap(), binaryData: { a: 'AA==' } })).toEqual([
      `InvalidResource: ${text}: ConfigMap has no data; put the manifests into data, binaryData is not read`,
    ])
  })

  it('is a Secret of another type', () => {
    expect(problemsOf(secret({ k: manifest('Pod', 'p') }, 'Opaque'))).toEqual([
      'WrongSecretType: Secret type of resource a is not supported',
    ])
  })

  it('holds bytes that are no text', () => {
    const data = { k: Buffer.from([0x61, 0x0a, 0xff, 0x62]).toString('base64') }
    expect(problemsOf({ ...secret({}), data })).toEqual([
      'InvalidResource: Secret default/a key k: is not UTF-8 at byte 2',
    ])
  })
})

it('no error text says what a Secret holds', () => {
  const word = fc.constantFrom(
    'hunter2',
    '*hunter2',
    '!hunter2 x',
    '"hunter2',
    '[hunter2',
    '- hunter2',
    'a: b: hunter2',
  )
  const glue = fc.constantFrom('\n', ' ', ': ', '\n---\n', '{', ']', '\t', 'kind: ', '"', '\napiVersion: ')
  const text = fc.array(fc.oneof(word, glue), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  decidesAlike(text, (t) => problemsOf(secret({ k: t })), {
    'not even a part of it': (_, problems) => expect(problems.join('\n')).not.toContain('hunter2'),
  })
})

it('an object without the namespace that its kind needs', () => {
  const [object] = objectsOf(configMap({ k: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}' }))
  expect(namespaceProblem(object!, true)).toMatchObject({
    reason: 'InvalidResource',
    on: [{ kind: 'Object', namespace: 'default', name: 'a', object: { kind: 'ConfigMap' } }],
    message: 'ConfigMap default/a key k document 1: ConfigMap "x" has no metadata.namespace; add one',
  })
  expect(namespaceProblem(object!, false)).toBeUndefined()
  expect(namespaceProblem(objectsOf(configMap({ k: manifest('Pod', 'p') }))[0]!, true)).toBeUndefined()
})
