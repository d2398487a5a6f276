import { describe, expect, it } from 'vitest'
import { is } from '../value/celvalue.ts'
import { type CelSchema, declared } from './celschema.ts'
import { escapedName, unescapedName } from './escapedname.ts'
import { fromJson, toJson } from './fromjson.ts'
import { show } from './show.cases.ts'

const value = (json: unknown, schema: CelSchema): string =>
  show(fromJson(json as never, declared(schema, 'x')!))

describe('values of a schema', () => {
  it.each<[unknown, CelSchema, string]>([
    [1, { type: 'integer' }, '1'],
    [1, { type: 'number' }, '1d'],
    [1n, { type: 'number' }, '1d'],
    [9007199254740993n, { type: 'integer' }, '9007199254740993'],
    [1.5, { type: 'integer' }, 'failure:invalid data, expected int'],
    ['5', { 'x-kubernetes-int-or-string': true }, '"5"'],
    [5, { 'x-kubernetes-int-or-string': true }, '5'],
    [
      true,
      { 'x-kubernetes-int-or-string': true },
      'failure:invalid data, expected XIntOrString value to be either a string or integer',
    ],
    ['1h', { type: 'string', format: 'duration' }, 'd:3600s'],
    ['1x', { type: 'string', format: 'duration' }, 'failure:Invalid duration 1x'],
    ['2024-02-29', { type: 'string', format: 'date' }, 't:2024-02-29T00:00:00Z'],
    ['2023-02-29', { type: 'string', format: 'date' }, 'failure:Invalid date formatted string 2023-02-29'],
    ['aGk=', { type: 'string', format: 'byte' }, 'b:aGk='],
    [null, { type: 'string', nullable: true }, 'null'],
    [null, { type: 'string' }, 'failure:invalid data, got null for schema with nullable=false'],
    [
      'x',
      { type: 'object', properties: {} },
      'failure:invalid data, expected a map for the provided schema with type=object',
    ],
    [[1, 'a'], { type: 'array', items: { type: 'integer' } }, '[1, failure:invalid data, expected int]'],
    [
      { 'a-b': 1, other: 2 },
      { type: 'object', properties: { 'a-b': { type: 'integer' } } },
      '{"a__dash__b": 1}',
    ],
    [{ 'a-b': 1 }, { type: 'object', additionalProperties: { type: 'number' } }, '{"a-b": 1d}'],
  ])('%o as %o', (json, schema, shown) => {
    expect(value(json, schema)).toBe(shown)
  })

  it('are natural without one', () => {
    expect(show(fromJson({ a: [1, 1.5, 'x', null, true] }))).toBe('{"a": [1, 1.5d, "x", null, true]}')
    expect(toJson(fromJson({ a: [1, 2.5, { b: null }] }))).toEqual({ a: [1, 2.5, { b: null }] })
  })

  it('are declared with unknown fields left out, and resources with what all of them have', () => {
    const unknown = { 'x-kubernetes-preserve-unknown-fields': true } as CelSchema
    const fields = declared({ type: 'object', properties: { a: unknown } }, 'x', true)!.fields!
    expect([...fields.keys()].sort()).toEqual(['apiVersion', 'kind', 'metadata'])
    expect(is(fromJson({ metadata: { name: 'a' } }, declared({ type: 'object' }, 'x', true)), 'map')).toBe(
      true,
    )
  })
})

describe('names of fields', () => {
  it.each([
    ['a', 'a'],
    ['foo-bar', 'foo__dash__bar'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['namespace', '__namespace__'],
    ['in', '__in__'],
  ])('%s is %s', (name, escaped) => {
    expect(escapedName(name)).toBe(escaped)
    expect(unescapedName(escaped)).toBe(name)
  })

  it('are refused where CEL cannot say them', () => {
    expect(['', '1a', 'a b', 'ä'].map(escapedName)).toEqual([undefined, undefined, undefined, undefined])
    expect(['__x__', 'a__in__', '__toString__'].map(unescapedName)).toEqual([undefined, undefined, undefined])
  })
})
