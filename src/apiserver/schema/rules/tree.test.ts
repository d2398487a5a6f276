import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../object/object.ts'
import { compileSchema } from '../compile.ts'
import type { Schema } from '../types.ts'
import { namedField } from './fieldpath.ts'
import { rulesOf } from './tree.ts'

const text: Schema = { type: 'string', maxLength: 100 }
const ruled = (n: number): Schema => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        items: { type: 'array', maxItems: 100, items: { type: 'object', properties: { a: text } } },
      },
      'x-kubernetes-validations': Array.from({ length: n }, (_, i) => ({
        rule: `self.items.size() < ${1000 + i} && self.items[${i}].a.startsWith('x')`,
      })),
    },
  },
})

describe('compiled rules', () => {
  it('are shared by all schemas of one content', () => {
    const [a, b] = [rulesOf(ruled(2)), rulesOf(ruled(2))]
    expect(a).toBeDefined()
    expect(a).toBe(b)
    expect(rulesOf(ruled(3))).not.toBe(a)
  })

  it('are nothing for a schema without any', () => {
    expect(rulesOf({ type: 'object', properties: { spec: { type: 'object' } } })).toBeUndefined()
  })

  it('20 of them look at an object of 10 KiB within a millisecond', () => {
    const ops = compileSchema(ruled(20))
    const items = Array.from({ length: 100 }, (_, i) => ({ a: `x${String(i).padEnd(90, '.')}` }))
    const value: JsonObject = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: { items } }
    const times = Array.from({ length: 50 }, () => {
      const start = performance.now()
      expect(ops.validateRules(value, { found: [], warn: () => {} })).toEqual([])
      return performance.now() - start
    })
    expect(Math.min(...times)).toBeLessThan(1)
  })
})

describe('a field path', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      a: { type: 'object', properties: { 'b.c': text, "q'": text } },
      m: { type: 'object', additionalProperties: { type: 'object', properties: { x: text } } },
      l: { type: 'array', items: text },
    },
  }
  const cases: readonly [string, string | undefined][] = [
    ['.a', 'a'],
    [".a['b.c']", 'a.b.c'],
    [".a['q\\'']", "a.q'"],
    [".m['k y'].x", 'm[k y].x'],
    ['.m.k', 'm[k]'],
    ['a', undefined],
    ['.', undefined],
    ['.b', undefined],
    ['.constructor', undefined],
    ['.l[0]', undefined],
    [".a['b.c", undefined],
    [".a['\\q']", undefined],
  ]
  it.each(cases)('%s is %s', (path, field) => {
    expect(namedField(path, schema)).toBe(field)
  })
})
