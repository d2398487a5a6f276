import fc from 'fast-check'
import yaml from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { assertProperty } from '../../../../../../test/property.ts'
import { parseYamlStream } from '../../../../../kube/src/object/index.ts'
import { unwritableScalar, writeScalar } from './scalar.ts'

/** What each reader takes a value for, as the member of a mapping, in brackets and without. */
function readings(scalar: string): unknown[] {
  const text = `a:\n  b: ${scalar} # c\n`
  const at = (v: unknown): unknown => (v as { a: { b: unknown } }).a.b
  return [
    at(parseYamlStream(text)[0]),
    at(parse(text, { version: '1.1' })),
    at(parse(text, { version: '1.2' })),
    at(yaml.load(text)),
  ]
}
const inBrackets = (scalar: string): unknown[] => {
  const text = `{"a": [${scalar}, ${scalar}], b: {c: ${scalar}}}`
  const value = { a: [0, 0], b: { c: 0 } }
  const read = [parseYamlStream(text)[0], parse(text, { version: '1.1' }), parse(text), yaml.load(text)]
  return read.flatMap((v) => {
    const { a, b } = v as unknown as typeof value
    return [...a, b.c]
  })
}

const stays = [
  '6.0.0',
  'v1',
  '1.2.3-rc.1+build',
  'main@sha1:0abc',
  'ghcr.io/a/b:1@sha256:0f',
  '1a',
  '1.x',
  'abc',
]
const getsQuotes = [
  ...[
    '1.10',
    '1',
    '1.',
    '0777',
    '0o17',
    '0b11',
    '0x1F',
    '1_000',
    '1e3',
    '12e4567',
    '1E+5',
    '190:20:30',
    '1:30',
  ],
  ...[
    'on',
    'Off',
    'yes',
    'N',
    'TRUE',
    'null',
    'NULL',
    '~',
    '',
    '.5',
    '.inf',
    '-.INF',
    '.nan',
    '-1',
    '+1',
    '=',
    '<<',
  ],
  ...['2001-01-01', '2001-1-1', '2001-01-01T00:00:00Z', '0x1p-2', 'inf', 'Infinity', '1__0', '_1'],
  ...[
    '^1.2',
    '>=1 <2',
    '*',
    '&a',
    '!t',
    '- a',
    '#a',
    'a #b',
    'a: b',
    'a:',
    "it's",
    '"q"',
    'a\\b',
    '%a',
    '@a',
    '`a`',
    'ä',
  ],
]

describe('written', () => {
  it.each(stays)('%s stays without quotes', (text) => expect(writeScalar(text, 'none', false)).toBe(text))

  it.each(getsQuotes)('%s gets quotes', (text) => {
    const quoted = writeScalar(text, 'none', false)
    expect(quoted).toMatch(/^".*"$/)
    expect(new Set(readings(quoted))).toEqual(new Set([text]))
  })

  it('colons in brackets get quotes: what is before one would be a key to some', () => {
    expect(writeScalar('a:1', 'none', true)).toBe('"a:1"')
    expect(writeScalar('6.0.0', 'none', true)).toBe('6.0.0')
  })

  it.each([
    ['single', "it's", "'it''s'"],
    ['single', 'a\\n', "'a\\n'"],
    ['double', 'say "x\\y"', '"say \\"x\\\\y\\""'],
    ['double', '1', '"1"'],
  ] as const)('%s quotes stay: %s', (quotes, text, becomes) => {
    expect(writeScalar(text, quotes, false)).toBe(becomes)
    expect(new Set(readings(becomes))).toEqual(new Set([text]))
  })

  it('whatever it is, every reader reads that text, in brackets and without', () => {
    const likely = fc.stringMatching(/^[0-9a-fnoxyTZ_.:+~<=-]{1,9}$/)
    const text = fc.oneof(likely, fc.constantFrom(...stays, ...getsQuotes), fc.string({ unit: 'grapheme' }))
    assertProperty(
      fc.property(text, fc.constantFrom('none', 'single', 'double'), (t, quotes) => {
        fc.pre(unwritableScalar(t) === undefined)
        expect(new Set(readings(writeScalar(t, quotes, false)))).toEqual(new Set([t]))
        expect(new Set(inBrackets(writeScalar(t, quotes, true)))).toEqual(new Set([t]))
      }),
    )
  })
})

describe('unwritable', () => {
  it.each([
    ['', 'is empty'],
    ['a\nb', 'has the character U+000A at 2'],
    ['\uFEFFa', 'has the character U+FEFF at 1'],
    ['a\u2028', 'has the character U+2028 at 2'],
    ['a\uD800', 'has the character U+D800 at 2'],
    [' a', 'begins or ends with a blank'],
    ['a'.repeat(1025), 'has 1025 characters, and more than 1024 are no version'],
    ['6.0.1', undefined],
    ['größer 1', undefined],
  ])('%j', (text, why) => expect(unwritableScalar(text)).toBe(why))
})
