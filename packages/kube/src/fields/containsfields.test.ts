import { expect, it } from 'vitest'
import type { JsonObject } from '../object/index.ts'
import { containsFields, parseFieldsV1 } from './index.ts'

/** As a server records an apply of a Deployment. */
const owned = parseFieldsV1({
  'f:spec': {
    'f:replicas': {},
    'f:args': {},
    'f:selector': {},
    'f:finalizers': { 'v:"a"': {}, 'v:"b"': {} },
    'f:labels': { 'f:app': {} },
    'f:empty': {},
    'f:ports': {
      'k:{"containerPort":53,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:name': {} },
      'k:{"containerPort":53,"protocol":"UDP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
    },
  },
})

const tcp = { containerPort: 53, protocol: 'TCP', name: 'dns' }
const udp = { containerPort: 53, protocol: 'UDP' }
const live = {
  spec: {
    replicas: 2,
    args: ['x', 'y'],
    selector: { app: 'a' },
    finalizers: ['z', 'a', 'b'],
    labels: { app: 'a', more: 'of others' },
    empty: {},
    ports: [tcp, { containerPort: 80, protocol: 'TCP' }, udp],
    defaulted: true,
  },
}

it.each<[string, JsonObject]>([
  ['what is there, whatever there is besides', { replicas: 2, labels: { app: 'a' } }],
  ['a list that is owned as a whole', { args: ['x', 'y'] }],
  ['items of a set between others', { finalizers: ['a', 'b'] }],
  ['an item without a key that the server adds', { ports: [{ containerPort: 53, name: 'dns' }, udp] }],
  ['an empty map', { empty: {} }],
])('it says %s', (_, spec) => {
  expect(containsFields(live, { spec }, owned)).toBe(true)
})

it.each<[string, JsonObject]>([
  ['another value', { replicas: 3 }],
  ['the same in another way', { replicas: '2' }],
  ['what is not there', { labels: { app: 'a', other: 'b' } }],
  ['what nobody owns', { defaulted: true }],
  ['less of what is owned as a whole', { selector: {} }],
  ['another order of a list as a whole', { args: ['y', 'x'] }],
  ['another order of items', { ports: [udp, tcp] }],
  ['another order of a set', { finalizers: ['b', 'a'] }],
  ['an item twice', { finalizers: ['a', 'a'] }],
  ['an item that nobody owns', { ports: [{ containerPort: 80, protocol: 'TCP' }] }],
  ['another value in an item', { ports: [{ ...tcp, name: 'other' }] }],
  ['a map where there is a list', { ports: { a: 1 } }],
  ['a list where there is a map', { labels: ['a'] }],
])('it does not say, or may not say: %s', (_, spec) => {
  expect(containsFields(live, { spec }, owned)).toBe(false)
})

it('twice in the object: nobody can tell which is meant', () => {
  expect(containsFields({ spec: { finalizers: ['a', 'a'] } }, { spec: { finalizers: ['a'] } }, owned)).toBe(
    false,
  )
})
