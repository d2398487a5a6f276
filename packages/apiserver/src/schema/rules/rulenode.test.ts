import { describe, expect, it } from 'vitest'
import type { Schema } from '../schematypes.ts'
import { namedField } from './namedfield.ts'
import { ruled, text } from './rulenode.cases.ts'
import { rulesOf } from './rulenode.ts'

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
