import { describe, expect, it } from 'vitest'
import { compileSchema } from './compileschema.ts'
import type { Schema } from './schematypes.ts'

const spec = (s: Schema): Schema => ({ type: 'object', properties: { spec: s } })
const texts = (s: Schema, value: unknown, old?: unknown): string[] =>
  compileSchema(spec(s))
    .validate({ spec: value } as never, old === undefined ? undefined : ({ spec: old } as never))
    .map((e) => `${e.field}: ${e.message}`)

describe('pruning', () => {
  const ops = compileSchema(
    spec({
      type: 'object',
      properties: {
        known: { type: 'string' },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        map: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { a: { type: 'string' } } },
        },
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object' } },
        },
      },
    }),
  )

  it('drops what is not specified and says what', () => {
    const { value, dropped } = ops.prune({
      apiVersion: 'v1',
      metadata: { anything: 1 },
      spec: {
        known: 'a',
        bogus: 1,
        any: { x: 1 },
        map: { k: { a: 'b', c: 1 } },
        list: [{ a: '1' }, { b: 2 }],
      },
      extra: {},
    })
    expect(dropped).toEqual(['extra', 'spec.bogus', 'spec.list[1].b', 'spec.map.k.c'])
    expect(value).toEqual({
      apiVersion: 'v1',
      metadata: { anything: 1 },
      spec: { known: 'a', any: { x: 1 }, map: { k: { a: 'b' } }, list: [{ a: '1' }, {}] },
    })
  })

  it('keeps metadata of embedded resources', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: {}, other: 1 }
    const { dropped } = ops.prune({ spec: { pod } })
    expect(dropped).toEqual(['spec.pod.other'])
  })

  it('returns a value that loses nothing itself', () => {
    const value = { spec: { known: 'a', list: [{ a: '1' }] } }
    expect(ops.prune(value).value).toBe(value)
  })

  it('treats inherited names as data', () => {
    expect(ops.prune({ spec: { constructor: 1, toString: 2 } } as never).dropped).toEqual([
      'spec.constructor',
      'spec.toString',
    ])
  })
})

describe('defaults', () => {
  const ops = compileSchema(
    spec({
      type: 'object',
      default: {},
      properties: {
        n: { type: 'integer', default: 3 },
        maybe: { type: 'string', nullable: true, default: 'x' },
        plain: { type: 'string' },
        ports: {
          type: 'array',
          items: { type: 'object', properties: { proto: { type: 'string', default: 'TCP' } } },
        },
      },
    }),
  )

  it('fills absent fields, also below a default', () => {
    expect(ops.defaults({})).toEqual({ spec: { n: 3, maybe: 'x' } })
    expect(ops.defaults({ spec: { ports: [{}] } })).toEqual({
      spec: { ports: [{ proto: 'TCP' }], n: 3, maybe: 'x' },
    })
  })

  it('counts a null as absent unless it may be null', () => {
    expect(ops.defaults({ spec: { n: null, maybe: null, plain: null } })).toEqual({
      spec: { n: 3, maybe: null },
    })
  })

  it('returns a complete value itself', () => {
    const value = { spec: { n: 1, maybe: 'y' } }
    expect(ops.defaults(value)).toBe(value)
  })
})

describe('validation', () => {
  it('words type errors as apiextensions does', () => {
    const s: Schema = { type: 'object', properties: { n: { type: 'integer' }, o: { type: 'object' } } }
    expect(texts(s, { n: 'x' })).toEqual([
      'spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"',
    ])
    expect(texts(s, { o: null })).toEqual([
      'spec.o: Invalid value: "null": spec.o in body must be of type object: "null"',
    ])
    expect(texts(s, { n: 1.5 })).toEqual([
      'spec.n: Invalid value: "number": spec.n in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.n',
    ])
  })

  it('checks ranges, enumerations, lengths, patterns and what is required', () => {
    const s: Schema = {
      type: 'object',
      required: ['a'],
      properties: {
        n: { type: 'integer', minimum: 0, maximum: 9, multipleOf: 2 },
        e: { type: 'string', enum: ['A', 'B'] },
        t: { type: 'string', maxLength: 3, pattern: '^a+$' },
        l: { type: 'array', maxItems: 1, items: { type: 'string' } },
      },
    }
    expect(texts(s, { n: -1, e: 'C', t: 'bb', l: ['a', 'b'] })).toEqual([
      'spec.e: Unsupported value: "C": supported values: "A", "B"',
      'spec.n: Invalid value: -1: spec.n in body should be a multiple of 2',
      'spec.n: Invalid value: -1: spec.n in body should be greater than or equal to 0',
      'spec.t: Invalid value: "bb": spec.t in body should match \'^a+$\'',
      'spec.l: Too many: 2: must have at most 1 item',
      'spec.a: Required value',
    ])
    expect(texts(s, { a: 1, t: 'aaaa', n: 10 })).toEqual([
      'spec.n: Invalid value: 10: spec.n in body should be less than or equal to 9',
      'spec.t: Too long: may not be more than 3 bytes',
    ])
  })

  it('knows int-or-string, formats and exact integers', () => {
    const s: Schema = {
      type: 'object',
      properties: {
        p: { 'x-kubernetes-int-or-string': true },
        u: { type: 'string', format: 'uuid' },
        d: { type: 'string', format: 'date-time' },
        w: { type: 'string', format: 'unheard-of' },
        i: { type: 'integer', format: 'int64' },
      },
    }
    expect(texts(s, { p: '80', w: 'x', i: 9007199254740993n })).toEqual([])
    expect(texts(s, { p: true, u: 'x', d: '2020-02-30T00:00:00Z' })).toEqual([
      'spec.p: Invalid value: "boolean": spec.p in body must be of type integer,string: "boolean"',
      'spec.u: Invalid value: "x": spec.u in body must be of type uuid: "x"',
      'spec.d: Invalid value: "2020-02-30T00:00:00Z": spec.d in body must be of type date-time: "2020-02-30T00:00:00Z"',
    ])
  })
})

describe('validation of several schemas, lists and old values', () => {
  it('reports oneOf, anyOf, allOf and not', () => {
    const a: Schema = { required: ['a'] }
    const b: Schema = { required: ['b'] }
    const type = 'object'
    expect(texts({ type, oneOf: [a, b] }, { a: 1, b: 1 })).toEqual([
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ])
    expect(texts({ type, anyOf: [a, b] }, {})).toEqual([
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      'spec.a: Required value',
    ])
    expect(texts({ type, allOf: [a, b] }, { a: 1 })).toEqual([
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
      'spec.b: Required value',
    ])
    expect(texts({ type, not: a }, { a: 1 })).toEqual([
      '<nil>: Invalid value: "": "spec" must not validate the schema (not)',
    ])
  })

  it('finds duplicates in sets and in lists of type map', () => {
    const s: Schema = {
      type: 'object',
      properties: {
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port'],
          items: { type: 'object', properties: { port: { type: 'integer' } } },
        },
      },
    }
    expect(texts(s, { tags: ['a', 'a', 'a'], ports: [{ port: 1 }, { port: 1 }] })).toEqual([
      'spec.tags[1]: Duplicate value: "a"',
      'spec.ports[1]: Duplicate value: {"port":1}',
    ])
  })

  it('leaves out findings in what did not change', () => {
    const s: Schema = {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 1 }, b: { type: 'string', maxLength: 1 } },
    }
    expect(texts(s, { a: 'old', b: 'new' }, { a: 'old', b: 'x' })).toEqual([
      'spec.b: Too long: may not be more than 1 byte',
    ])
  })

  it('answers in linear time to hostile patterns', () => {
    const s: Schema = { type: 'object', properties: { t: { type: 'string', pattern: '^(a+)+$' } } }
    expect(texts(s, { t: `${'a'.repeat(5000)}b` })).toHaveLength(1)
  })
})
