import { describe, expect, it } from 'vitest'
import { checkCrdSchema } from './crdschema.ts'

const PATH = 'spec.validation.openAPIV3Schema'
const check = (schema: unknown, hasStatus = false): string[] =>
  checkCrdSchema(schema as never, PATH, { hasStatus }).map(
    (e) => `${e.field.replace(PATH, '')}: ${e.message}`,
  )
const withSpec = (spec: unknown): unknown => ({ type: 'object', properties: { spec } })

describe('schemas of CustomResourceDefinitions', () => {
  it('must be structural', () => {
    expect(check({ properties: { spec: { properties: { x: {} } } } })).toEqual([
      '.properties[spec].properties[x].type: Required value: must not be empty for specified object fields',
      '.properties[spec].type: Required value: must not be empty for specified object fields',
      '.type: Required value: must not be empty at the root',
    ])
    expect(check({ type: 'object', anyOf: [{ type: 'string', properties: { a: {} } }] })).toEqual([
      '.anyOf[0].type: Forbidden: must be empty to be structural',
      '.properties[a]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[a]',
    ])
    expect(
      check(
        withSpec({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      ),
    ).toEqual([])
  })

  it.each([
    [{ $ref: '#/x' }, '.$ref: Forbidden: $ref is not supported'],
    [{ definitions: { a: { type: 'object' } } }, '.definitions: Forbidden: definitions is not supported'],
    [{ dependencies: { a: [] } }, '.dependencies: Forbidden: dependencies is not supported'],
    [
      { patternProperties: { a: { type: 'object' } } },
      '.patternProperties: Forbidden: patternProperties is not supported',
    ],
    [{ additionalItems: true }, '.additionalItems: Forbidden: additionalItems is not supported'],
    [{ id: 'x' }, '.id: Forbidden: id is not supported'],
    [
      { uniqueItems: true },
      '.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  ])('refuses %j', (member, text) => {
    expect(check(withSpec({ type: 'object', ...member }))).toContain(`.properties[spec]${text}`)
  })

  it('refuses lists without sound keys', () => {
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] }
    const items = { type: 'object', properties: { a: { type: 'string' } } }
    expect(check(withSpec({ ...list, items }))).toEqual([
      '.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["a","b"]: entries must all be names of item properties',
      '.properties[spec].items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ])
  })

  it('refuses broken patterns, bad defaults and bad rules', () => {
    expect(check(withSpec({ type: 'string', pattern: '(' }))[0]).toMatch(
      /^\.properties\[spec\]\.pattern: Invalid value: "\(": must be a valid regular expression, but isn't: error parsing/,
    )
    expect(check(withSpec({ type: 'object', properties: { n: { type: 'integer', default: 'x' } } }))).toEqual(
      [
        '.properties[spec].properties[n].default: Invalid value: "string":  in body must be of type integer: "string"',
      ],
    )
    expect(check(withSpec({ type: 'object', default: { a: 1 } }))).toEqual([
      '.properties[spec].default: Invalid value: {"a":1}: must not have unknown fields',
    ])
    expect(check(withSpec({ type: 'object', 'x-kubernetes-validations': [{ rule: ' ' }] }))).toEqual([
      '.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified',
    ])
  })
})

describe('sound schemas', () => {
  it('accepts what controllers write', () => {
    const schema = {
      type: 'object',
      description: 'x',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { type: 'object' },
        spec: { type: 'object', properties: { t: { type: 'string', default: 'a', enum: ['a', 'b'] } } },
        status: { type: 'object', default: {}, properties: {} },
      },
      required: ['spec'],
    }
    expect(check(schema, true)).toEqual([])
  })
})
