import { describe, expect, it } from 'vitest'
import { FieldSet, parseElement, parseFieldsV1, printElement, printPath, toFieldsV1 } from './index.ts'

const set = (json: unknown): FieldSet => parseFieldsV1(json as never)

describe('path elements', () => {
  it.each([
    ['f:', '.'],
    ['f:spec', '.spec'],
    ['k:{"port":80,"protocol":"TCP"}', '[port=80,protocol="TCP"]'],
    ['v:"a\\u003cb"', '[="a<b"]'],
    ['v:1.5', '[=1.5]'],
    ['i:3', '[3]'],
  ])('%s', (text, shown) => {
    expect(parseElement(text)).toBe(text)
    expect(printElement(text)).toBe(shown)
  })

  it('are canonical', () => {
    expect(parseElement('k:{ "b": "\\u0041", "a":1 }')).toBe('k:{"a":1,"b":"A"}')
    expect(parseElement('r:later')).toBeUndefined()
  })

  it.each(['', 'x', 'no-colon', 'i:a', 'i:', 'v:', 'v:bad', 'k:[]', 'k:{"a":1} {}'])('refuses %j', (text) => {
    expect(() => parseElement(text)).toThrow()
  })
})

describe('field sets', () => {
  const a = set({ 'f:a': {}, 'f:b': { '.': {}, 'f:c': {}, 'k:{"x":1}': { '.': {}, 'f:x': {} } } })

  it('are read and written in the order of Kubernetes', () => {
    const mixed = set({ 'v:2': {}, 'k:{"x":1}': {}, 'f:b': {}, 'f:a': { 'f:z': {}, '.': {} } })
    expect(Object.keys(toFieldsV1(mixed))).toEqual(['f:a', 'f:b', 'k:{"x":1}', 'v:2'])
    expect(JSON.stringify(toFieldsV1(mixed))).toBe(
      '{"f:a":{".":{},"f:z":{}},"f:b":{},"k:{\\"x\\":1}":{},"v:2":{}}',
    )
  })

  it('list members of a level before what is below', () => {
    expect([...a.paths()].map(printPath)).toEqual(['.a', '.b', '.b.c', '.b[x=1]', '.b[x=1].x'])
    expect(a.size).toBe(5)
  })

  it('combine', () => {
    const b = set({ 'f:b': {}, 'f:d': {} })
    expect(toFieldsV1(a.union(b))).toEqual({ ...toFieldsV1(a), 'f:d': {} })
    expect(toFieldsV1(a.intersection(b))).toEqual({ 'f:b': {} })
    expect(toFieldsV1(a.difference(b))).toEqual({
      'f:a': {},
      'f:b': { 'f:c': {}, 'k:{"x":1}': { '.': {}, 'f:x': {} } },
    })
    expect(toFieldsV1(a.recursiveDifference(b))).toEqual({ 'f:a': {} })
    expect(a.difference(a).isEmpty).toBe(true)
    expect(a.difference(FieldSet.empty)).toBe(a)
  })

  it('know their leaves and members', () => {
    expect(toFieldsV1(a.leaves())).toEqual({ 'f:a': {}, 'f:b': { 'f:c': {}, 'k:{"x":1}': { 'f:x': {} } } })
    expect(a.has(['f:b', 'f:c'])).toBe(true)
    expect(a.has(['f:b', 'f:z'])).toBe(false)
    expect(FieldSet.fromPaths(a.paths()).equals(a)).toBe(true)
  })

  it('keep hostile names as data', () => {
    const hostile = set(JSON.parse('{"f:__proto__":{},"f:constructor":{"f:x":{}}}'))
    expect(hostile.has(['f:__proto__'])).toBe(true)
    expect(JSON.stringify(toFieldsV1(hostile))).toBe('{"f:__proto__":{},"f:constructor":{"f:x":{}}}')
  })
})
