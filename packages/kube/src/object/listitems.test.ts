import { describe, expect, it } from 'vitest'
import type { JsonValue } from './json.ts'
import { listItems } from './listitems.ts'

const read = (fields: object): unknown => {
  const list = listItems({ apiVersion: 'v1', ...fields } as JsonValue)
  return list && ('items' in list ? list.items.map((i) => i.value) : list)
}

describe('a list', () => {
  const a = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  it.each([
    ['has its items', { kind: 'List', items: [a] }, [a]],
    [
      'of a kind names the type of its items',
      { kind: 'ConfigMapList', items: [{ metadata: a.metadata }] },
      [a],
    ],
    ['without a type of its items gives them none', { kind: 'List', items: [{ x: 1 }] }, [{ x: 1 }]],
    ['of nothing has no items', { kind: 'List', items: [] }, []],
    ['whose items are null has none, as for kubectl', { kind: 'ConfigMapList', items: null }, []],
    [
      'without items is refused',
      { kind: 'ConfigMapList', metadata: {} },
      { problem: 'has no items; write items: []', path: [] },
    ],
    [
      'with null among its items names it',
      { kind: 'List', items: [a, null] },
      { problem: 'items[1] is null', path: ['items', 1] },
    ],
    [
      'with a text among its items names it',
      { kind: 'RoleList', items: ['a'] },
      { problem: 'items[0] is not an object', path: ['items', 0] },
    ],
    [
      'whose items are a map is refused',
      { kind: 'List', items: {} },
      { problem: 'items: is not a list; write items: []', path: ['items'] },
    ],
  ])('%s', (_, fields, expected) => {
    expect(read(fields)).toEqual(expected)
  })
})

it.each([
  ['a kind that ends otherwise', { kind: 'ConfigMap', items: [] }],
  ['an object of a kind that ends in List', { kind: 'IPAllowList', metadata: { name: 'a' } }],
])('%s is an object', (_, fields) => {
  expect(read(fields)).toBeUndefined()
})
