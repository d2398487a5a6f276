import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../object/object.ts'
import { type Parameter, withParameter } from './setvalues.ts'

const set = (name: string, value: string, more: Partial<Parameter> = {}, values: JsonObject = {}) => {
  const made = withParameter(values, { name, value, ...more })
  return made.ok ? made.value : made.error
}

describe('a parameter', () => {
  it.each<[string, unknown]>([
    ['', { a: '' }],
    ['x', { a: 'x' }],
    ['true', { a: true }],
    ['FALSE', { a: false }],
    ['null', { a: null }],
    ['0', { a: 0 }],
    ['42', { a: 42 }],
    ['-7', { a: -7 }],
    ['+7', { a: 7 }],
    ['007', { a: '007' }],
    ['1.5', { a: '1.5' }],
    ['1e3', { a: '1e3' }],
    ['9223372036854775808', { a: '9223372036854775808' }],
    ['a,b', { a: 'a,b' }],
    ['a\\,b', { a: 'a,b' }],
    ['{}', { a: [] }],
    ['{x,1,true}', { a: ['x', 1, true] }],
    ['{x\\,y}', { a: ['x,y'] }],
    ['a=b', { a: 'a=b' }],
  ])('of the value %j gives %j', (value, made) => expect(set('a', value)).toEqual(made))

  it('that is to be a text is one', () => {
    expect(set('a', '42', { forceString: true })).toEqual({ a: '42' })
    expect(set('a', '{1,true}', { forceString: true })).toEqual({ a: ['1', 'true'] })
  })

  it.each<[string, unknown]>([
    ['a.b.c', { a: { b: { c: 'x' } } }],
    ['a\\.b.c', { 'a.b': { c: 'x' } }],
    ['a[0]', { a: ['x'] }],
    ['a[1].b', { a: [null, { b: 'x' }] }],
    ['a[0][1]', { a: [[null, 'x']] }],
    ['__proto__', { ['__proto__']: 'x' }],
  ])('named %s goes to %j', (name, made) => expect(set(name, 'x')).toEqual(made))

  it.each([
    ['a[', '"a[" has no place of a list at character 2; write [0]'],
    ['a[x]', '"a[x]" has no place of a list at character 2; write [0]'],
    ['a[70000]', '"a[70000]" has no place of a list at character 2; write [0]'],
    ['a..b', '"a..b" has a part without a name'],
    ['', '"" has a part without a name'],
    ['a=b', '"a=b" has a =; write \\='],
  ])('named %j is refused', (name, error) => expect(set(name, 'x')).toBe(error))

  it('stands beside what is there, and in place of what it names', () => {
    const values = { a: { b: 1, c: [1, 2] }, d: 'x' }
    expect(set('a.b', '5', {}, values)).toEqual({ a: { b: 5, c: [1, 2] }, d: 'x' })
    expect(set('a.c[1]', '5', {}, values)).toEqual({ a: { b: 1, c: [1, 5] }, d: 'x' })
    expect(set('d.e', '5', {}, values)).toEqual({ a: { b: 1, c: [1, 2] }, d: { e: 5 } })
    expect(values).toEqual({ a: { b: 1, c: [1, 2] }, d: 'x' })
  })
})
