import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml'
import { assertProperty } from '../../../../../test/property.ts'
import { encodeYaml, parseYamlStream, splitYaml, type YamlPath, YamlTree } from '../index.ts'
import { scanYaml } from './scanyaml.ts'

/** Where a parser that knows all of YAML sees the values of a text. */
function* places(node: Node | null, path: YamlPath = []): Iterable<[YamlPath, number]> {
  if (!node?.range) return
  yield [path, node.range[0]]
  if (isMap(node))
    for (const p of node.items)
      if (isScalar(p.key)) yield* places(p.value as Node, [...path, String(p.key.value)])
  if (isSeq(node)) for (const [i, item] of node.items.entries()) yield* places(item as Node, [...path, i])
}

/** What both say of every value; those that are not there are seen at different sides of spaces and comments. */
function agree(text: string): number {
  const tree = new YamlTree(text)
  const root = parseDocument(text, { version: '1.1', logLevel: 'silent', uniqueKeys: false })
    .contents as Node | null
  let count = 0
  for (const [path, offset] of places(root)) {
    const before = text.slice(0, offset)
    const place = { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
    const isEmpty = /^\s*(?:$|[#,}\]\r\n])/.test(text.slice(offset, offset + 1)) || isAlias(root)
    if (!isEmpty) expect({ path, ...tree.place(path) }).toEqual({ path, ...place })
    count++
  }
  return count
}

describe('a document that is written as most are', () => {
  it.each([
    'a: 1\nb:\n  c: "x" # why\n  d:\n  - e: 1\n    f: [1, {g: h}]\n\n  - i\n# end\n',
    '---\n# first\na:   {b: c, d: "e, f"}\nl:\n- x\n-   w: 1\n    z: 2\n',
    'a: |\n  text\n    more\n\n  # no comment\nb: >-\n  folded\n',
    "url: https://example.com:80/x#y\r\nt: a b  # c\r\nq: 'it''s'\r\n",
    'k:\n    deep:\n        deeper: -1\nempty:\nlast:\n',
  ])('is scanned: %j', (text) => {
    expect(scanYaml(text)).toBeDefined()
    expect(agree(text)).toBeGreaterThan(2)
  })

  it.each([
    ['an anchor', 'a: &x 1\nb: *x\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a merge', 'a:\n  <<: {b: 1}\n'],
    ['a text in two lines', 'a: one\n  two\nb: "x\n  y"\n'],
    ['brackets over lines', 'a: [1,\n  2]\n'],
    ['lists in lists', '- - 1\n'],
    ['odd keys', '? a\n: 1\n'],
    ['yes for a key', 'on: 1\n'],
    ['a key with spaces', 'a b: 1\n'],
    ['tabs', 'a:\n\tb: 1\n'],
    ['another end', 'a: 1\n...\n'],
    ['a number of spaces', 'a: |2\n    x\n'],
    ['what is kept', 'a: |+\n  x\n\n'],
    ['no document', '# only this\n'],
    ['what is no YAML', 'a: b: c\n'],
    ['a key without a space', 'a: {b:c}\n'],
  ])('is not %s: the other parser is asked', (_, text) => {
    expect(scanYaml(text)).toBeUndefined()
  })
})

describe('both ways agree', () => {
  it('on whatever is printed', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'a: b',
        '# x',
        'x #y',
        '- z',
        '{',
        'yes',
        '010',
        'x\ny',
        ' lead',
        'end ',
        "it's",
        '"q"',
        'a,b',
        '[x]',
        '? k',
        '!t',
        '&a',
        '*a',
        'https://x:1/#y',
      ),
    )
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        texts,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie('map'),
        fc.array(tie('any'), { maxLength: 3 }),
      ),
      map: fc.dictionary(
        fc.oneof(fc.constantFrom('name', 'spec', 'a.b/c', 'on', 'k v'), fc.string({ minLength: 1 })),
        tie('any'),
        { maxKeys: 4 },
      ),
    })).map
    assertProperty(
      fc.property(value, fc.constantFrom(-1, 40), (v, width) => {
        agree(encodeYaml(v, width))
      }),
    )
  })

  it('on the manifests of this repository, which are scanned', () => {
    const files = ['examples', 'crds'].flatMap((f) =>
      readdirSync(f, { recursive: true, encoding: 'utf8' }).map((p) => `${f}/${p}`),
    )
    const parts = files.filter((f) => f.endsWith('.yaml')).flatMap((f) => splitYaml(readFileSync(f, 'utf8')))
    const documents = parts.filter((p) => p.text.length < 20_000 && parseYamlStream(p.text).length === 1)
    expect(documents.length).toBeGreaterThan(10)
    for (const p of documents) agree(p.text)
    expect(documents.filter((p) => scanYaml(p.text)).length).toBeGreaterThan(documents.length * 0.8)
  })
})

describe('how a scalar is written', () => {
  const tree = new YamlTree(
    'a: 1e3 # a comment\nb: [yes, "x"]\non: 0755\nbase: &b {c: 5.10}\nd: *b\ne: {<<: *b}\n',
  )
  it.each<[YamlPath, string | undefined]>([
    [['a'], '1e3'],
    [['b', 0], 'yes'],
    [['b', 1], '"x"'],
    [['true'], '0755'],
    [['base', 'c'], '5.10'],
    [['b'], undefined],
    [['b', 2], undefined],
    [['z'], undefined],
    [['d', 'c'], undefined],
    [['e', 'c'], undefined],
  ])('at %j is %j', (path, text) => expect(tree.written(path)).toBe(text))
})
