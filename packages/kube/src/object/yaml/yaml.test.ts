import { describe, expect, it } from 'vitest'
import { encodeJson, parseJson, parseYamlStream, YamlError } from '../index.ts'
import { yamlCases, yamlRefusals } from './yaml.cases.ts'

function refusal(text: string): string {
  try {
    parseYamlStream(text)
  } catch (e) {
    if (e instanceof YamlError) return `${e.line}:${e.column} ${e.message}`
    throw e
  }
  return 'parsed'
}

/** Each line stands for ten of the line before. */
const bomb = (lines: number): string =>
  Array.from(
    { length: lines },
    (_, i) =>
      `a${i}: &a${i} [${Array(10)
        .fill(i === 0 ? 'x' : `*a${i - 1}`)
        .join(', ')}]\n`,
  ).join('')

describe('aliases', () => {
  it('are values of their own: shared in the text, not afterwards', () => {
    const [doc] = parseYamlStream('a: &a {x: 1}\nb: *a\nc: {<<: *a, z: 2}\n') as [Record<string, object>]
    expect(doc).toEqual({ a: { x: 1 }, b: { x: 1 }, c: { x: 1, z: 2 } })
    expect(doc.a).not.toBe(doc.b)
  })

  it('that stand for billions of values are refused, at once', () => {
    expect(refusal(bomb(5))).toBe('parsed')
    expect(refusal(bomb(10))).toBe('2:10 aliases make more than 1000000 values of it')
  })

  it('that stand inside their own anchor are refused', () => {
    expect(refusal('x: 1\na: &a [1, *a]\n')).toBe('2:11 an alias stands inside its own anchor')
    expect(refusal('a: &a {b: *a}\n')).toBe('1:11 an alias stands inside its own anchor')
  })
})

describe('what would be something else in JSON, or in JavaScript', () => {
  it.each([
    ['nesting', '['.repeat(100_000), /nest/],
    ['no number', 'a: .nan\n', /NaN is not a value in Kubernetes/],
    ['a key twice', 'a: 1\na: 2\n', /^2:1 duplicated mapping key/],
    ['an unknown tag', 'a: !!js/function "x"\n', /^1:\d+ .*tag/],
  ])('%s is refused', (_, text, expected) => {
    expect(refusal(text)).toMatch(expected)
  })

  it('a key twice is its last value where that is asked for, also below, and never that of a merge', () => {
    const text = 'a: {x: 1, x: 2}\nb: 1\nb: 2\nm: &m {x: 5}\nc: {<<: *m, x: 3}\nd: {x: 4, <<: *m}\n'
    const [doc] = parseYamlStream(text, 'Last')
    expect(doc).toEqual({ a: { x: 2 }, b: 2, m: { x: 5 }, c: { x: 3 }, d: { x: 4 } })
  })

  it('__proto__ is a key', () => {
    const [doc] = parseYamlStream('__proto__: {a: 1}\n')
    expect(Object.keys(doc as object)).toEqual(['__proto__'])
    expect((doc as { a?: unknown }).a).toBeUndefined()
  })
})

describe('what kubectl makes of it', () => {
  it.each(yamlCases)('%j', (yaml, json) => {
    expect(encodeJson(parseYamlStream(`${yaml}\n`)[0])).toEqual(encodeJson(parseJson(json)))
  })
  it.each(yamlRefusals)('%j is refused', (yaml, says) => {
    expect(refusal(`${yaml}\n`)).toMatch(says)
  })
})
