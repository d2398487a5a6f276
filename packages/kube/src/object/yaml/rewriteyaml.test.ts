import { describe, expect, it } from 'vitest'
import { type JsonValue, parseYamlStream } from '../index.ts'
import { rewriteYaml } from './rewriteyaml.ts'

const read = (text: string): JsonValue => parseYamlStream(text)[0]!
const long = `has(dep.status) && ${'dep.spec.name == "a" && '.repeat(6)}true`

/** What a text says, as far as these cases go into it. */
interface Tree {
  readonly [member: string]: Tree
}

interface Case {
  readonly what: string
  readonly text: string
  readonly to: (value: Tree) => unknown
  readonly becomes: string
  readonly anew?: boolean
}

const cases: readonly Case[] = [
  {
    what: 'a scalar, and nothing around it',
    text: '# from here\nmetadata:\n   name:  "a"   # the name\n   n: 010\nspec: {}\n',
    to: (v) => ({ ...v, metadata: { ...v.metadata, name: 'a-1' } }),
    becomes: '# from here\nmetadata:\n   name:  a-1   # the name\n   n: 010\nspec: {}\n',
  },
  {
    what: 'a member behind the last one, before the comments that follow',
    text: 'spec:\n  a: 1   # one\n  # about the end\nx: 1\n',
    to: (v) => ({ ...v, spec: { ...v.spec, b: [{ c: 1 }] } }),
    becomes: 'spec:\n  a: 1   # one\n  b:\n    - c: 1\n  # about the end\nx: 1\n',
  },
  {
    what: 'members of an item and of what it is in, both at the end of the text, which has no line break',
    text: 'spec:\n  deps:\n  - name: a',
    to: (v) => ({ spec: { deps: [{ ...v.spec!.deps![0], e: 'x' }], wait: true } }),
    becomes: 'spec:\n  deps:\n  - name: a\n    e: x\n  wait: true',
  },
  {
    what: 'an item of a list, and a text that is folded',
    text: 'deps:\n  - name: a\nlast: 1\n',
    to: (v) => ({ ...v, deps: [v.deps![0], { name: 'b', expr: long }] }),
    becomes: `deps:\n  - name: a\n  - name: b\n    expr: >-\n${folded(long, 6)}last: 1\n`,
  },
  {
    what: 'a folded text by another, behind which more comes',
    text: 'deps:\n  - name: a\n    expr: >-\n      old\n      text\n  - name: b\n',
    to: (v) => ({ deps: [{ name: 'a', expr: 'new' }, v.deps![1]] }),
    becomes: 'deps:\n  - name: a\n    expr: new\n  - name: b\n',
  },
  {
    what: 'a long text with a comment behind it: on its line',
    text: 'a:\n  expr: "x" # why\n',
    to: () => ({ a: { expr: long } }),
    becomes: `a:\n  expr: ${JSON.stringify(long).replaceAll('\\"', '"').slice(1, -1)} # why\n`,
  },
  {
    what: 'flow style, also empty and in several lines',
    text: 'metadata: { name: a }\nspec: {\n  deps: [ {name: x} ],\n  m: {}, l: []\n}\n',
    to: () => ({
      metadata: { name: 'a', annotations: { 'x/y': 'z' } },
      spec: { deps: [{ name: 'x', e: 'q: "1"' }], m: { n: 1 }, l: [true], wait: true },
    }),
    becomes:
      'metadata: { name: a, annotations: {"x/y":"z"} }\nspec: {\n  deps: [ {name: x, e: "q: \\"1\\""} ],\n  m: {"n":1}, l: [true], wait: true\n}\n',
  },
  {
    what: 'JSON',
    text: '{"a":{"b":1},"c":[]}',
    to: (v) => ({ ...v, a: { b: 2, d: 'x' } }),
    becomes: '{"a":{"b":2, d: x},"c":[]}',
  },
  {
    what: 'line ends of Windows',
    text: 'a:\r\n  b: 1\r\nc: 2\r\n',
    to: (v) => ({ ...v, a: { b: 1, d: { e: 1 } } }),
    becomes: 'a:\r\n  b: 1\r\n  d:\r\n    e: 1\r\nc: 2\r\n',
  },
  {
    what: 'a value that was left out, and one that was empty',
    text: 'wait:\nl:  \nm: {}\n',
    to: () => ({ wait: true, l: 'x', m: { a: 1 } }),
    becomes: 'wait: true\nl: x  \nm: {"a":1}\n',
  },
  {
    what: 'what is merged is overruled, the anchor stays as it is',
    text: 'base: &b\n  wait: false\nspec:\n  <<: *b\n  a: 1\n',
    to: (v) => ({ ...v, spec: { ...v.spec, wait: true } }),
    becomes: 'base: &b\n  wait: false\nspec:\n  <<: *b\n  a: 1\n  wait: true\n',
  },
  {
    what: 'an alias where another value is wanted',
    text: 'a: &x one\nb: *x\n',
    to: () => ({ a: 'one', b: 'two' }),
    becomes: 'a: &x one\nb: two\n',
  },
  {
    what: 'what others share cannot be changed for one of them: written anew, with what stands before it',
    text: '--- # first\n# Source: chart/a.yaml\na: &x { k: 1 } # gone\nb: *x\n',
    to: () => ({ a: { k: 2 }, b: { k: 1 } }),
    becomes: '--- # first\n# Source: chart/a.yaml\na:\n  k: 2\nb:\n  k: 1\n',
    anew: true,
  },
  {
    what: 'a member less: written anew; a number that no double holds stays',
    text: 'a: 1\nb: 9007199254740993 # exact\n',
    to: (v) => ({ b: v.b }),
    becomes: 'b: 9007199254740993\n',
    anew: true,
  },
]

function folded(text: string, indent: number): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= 100 - indent + 2)
      lines[lines.length - 1] += ` ${word}`
    else lines.push(word)
  }
  return lines.map((l) => `${' '.repeat(indent)}${l}\n`).join('')
}

describe('rewriteYaml', () => {
  it.each(cases)('$what', ({ text, to, becomes, anew }) => {
    const after = to(read(text) as unknown as Tree) as JsonValue
    const made = rewriteYaml(text, read(text), after)
    expect(made.text).toBe(becomes)
    expect(read(made.text)).toEqual(after)
    expect(made.inPlace).toBe(!anew)
  })

  it('leaves equal values alone', () => {
    const text = 'a:   {b:   1}'
    expect(rewriteYaml(text, read(text), { a: { b: 1 } }).text).toBe(text)
  })
})
