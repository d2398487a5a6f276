import { expect, it } from 'vitest'
import { at } from '../../../../kube/src/object/index.ts'
import { parseMutationPath, replaceAt } from './mutationpath.ts'

const VALUE = { a: { b: [{ c: 1 }, { c: 2 }], 'x/y.z': 'v', 'a-b': true, constructor: 7 }, n: null }

it.each<[string, readonly (string | number)[], unknown]>([
  ['$.a.b[0].c', ['a', 'b', 0, 'c'], 1],
  ['$.a["x/y.z"]', ['a', 'x/y.z'], 'v'],
  ["$['a']['a-b']", ['a', 'a-b'], true],
  ['$.a.a-b', ['a', 'a-b'], true],
  [' $.a.constructor ', ['a', 'constructor'], 7],
  ['$.a.b[2].c', ['a', 'b', 2, 'c'], undefined],
  ['$.a.toString', ['a', 'toString'], undefined],
])('%s', (text, steps, found) => {
  expect(parseMutationPath(text)).toEqual({ ok: true, value: steps })
  expect(at(VALUE, ...steps)).toEqual(found)
})

const form = (text: string, rest: string) =>
  `"${text}" is no path to one value: "${rest}" is not .name, ["name"] or [0]`

it.each([
  ['', '"" does not begin with $'],
  ['.a', '".a" does not begin with $'],
  ['$', '"$" names no value'],
  ['$..a', form('$..a', '..a')],
  ['$.a[*]', form('$.a[*]', '[*]')],
  ['$.a[?(@.b)]', form('$.a[?(@.b)]', '[?(@.b)]')],
  ['$.a[-1]', form('$.a[-1]', '[-1]')],
  ['$.a[0,1]', form('$.a[0,1]', '[0,1]')],
  ['$.a[1:2]', form('$.a[1:2]', '[1:2]')],
  ['$.a.', form('$.a.', '.')],
  ['$a', form('$a', 'a')],
  ['$.a["b]', form('$.a["b]', '["b]')],
  ['$.a[""]', form('$.a[""]', '[""]')],
  ['$.a[01]', form('$.a[01]', '[01]')],
])('%s is refused', (text, error) => {
  expect(parseMutationPath(text)).toEqual({ ok: false, error })
})

it.each([
  [['a', 'b', 1, 'c'], { a: { ...VALUE.a, b: [{ c: 1 }, { c: 'new' }] }, n: null }],
  [['n'], { ...VALUE, n: 'new' }],
  [['a', 'b', 2], undefined],
  [['a', 'toString'], undefined],
  [['a', 'x/y.z', 'deeper'], undefined],
])('a value is replaced at %j', (path, expected) => {
  expect(replaceAt(VALUE, path, 'new')).toEqual(expected)
})
