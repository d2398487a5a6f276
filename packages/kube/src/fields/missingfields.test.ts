import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../object/index.ts'
import {
  FieldSet,
  fieldsIn,
  missingFields,
  parseFieldsV1,
  pathOfPointer,
  printPath,
  touches,
  withoutFields,
} from './index.ts'

/** As a server records an apply of a Deployment with two ports that differ in their protocol. */
const owned = parseFieldsV1({
  'f:metadata': { 'f:labels': { 'f:app': {} } },
  'f:spec': {
    'f:replicas': {},
    'f:args': {},
    'f:finalizers': { 'v:"a"': {} },
    'f:containers': {
      'k:{"name":"main"}': {
        '.': {},
        'f:image': {},
        'f:name': {},
        'f:ports': {
          'k:{"containerPort":53,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
          'k:{"containerPort":53,"protocol":"UDP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
        },
      },
    },
  },
})

const manifest = {
  metadata: { labels: { app: 'a' } },
  spec: {
    replicas: 2,
    args: ['x', 'y'],
    finalizers: ['a'],
    containers: [
      {
        name: 'main',
        image: 'i',
        ports: [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }],
      },
    ],
  },
} satisfies JsonObject

const missing = (m: JsonObject): string[] => [...missingFields(m, owned)].map(printPath)

describe('the fields of a manifest that a set lacks', () => {
  const spec = (more: JsonObject): JsonObject => ({ ...manifest, spec: { ...manifest.spec, ...more } })
  const [main] = manifest.spec.containers
  const rows: readonly [string, JsonObject, string[]][] = [
    ['none', manifest, []],
    ['null and empty ask for nothing', spec({ paused: null }), []],
    ['a field', spec({ paused: true }), ['.spec.paused']],
    ['a list owned as a whole, whatever is in it', spec({ args: ['z'] }), []],
    ['a field deep in a new map', spec({ a: { b: { c: 1 } } }), ['.spec.a.b.c']],
    ['an element of a set', spec({ finalizers: ['b'] }), ['.spec.finalizers']],
    ['an element of a keyed list', spec({ containers: [main!, { name: 'side' }] }), ['.spec.containers']],
    [
      'a field of an element',
      spec({ containers: [{ ...main!, tty: true }] }),
      ['.spec.containers[name="main"].tty'],
    ],
  ]
  it.each(rows)('%s', (_, m, paths) => {
    expect(missing(m)).toEqual(paths)
  })
  it('all of them where nothing is owned', () => {
    expect([...missingFields({ a: { b: 1 }, c: [1] }, undefined)].map(printPath)).toEqual(['.a.b', '.c'])
  })
})

describe('JSON pointers', () => {
  const rows: readonly [string[], string | undefined][] = [
    [['spec', 'replicas'], '.spec.replicas'],
    [['spec', 'nothing', 'here'], '.spec.nothing.here'],
    [['spec', 'containers', '0', 'image'], '.spec.containers[name="main"].image'],
    [
      ['spec', 'containers', '0', 'ports', '1'],
      '.spec.containers[name="main"].ports[containerPort=53,protocol="TCP"]',
    ],
    [['spec', 'containers', '7', 'image'], undefined],
    [['spec', 'args', '0'], '.spec.args'],
  ]
  it.each(rows)('%j leads to %s', (pointer, path) => {
    const found = pathOfPointer(pointer, manifest, owned)
    expect(found && printPath(found)).toBe(path)
  })
})

describe('a manifest without fields', () => {
  const without = (...pointers: string[][]): JsonValue | undefined =>
    withoutFields(
      manifest,
      FieldSet.fromPaths(pointers.map((p) => pathOfPointer(p, manifest, owned) ?? [])),
      owned,
    )
  it('loses them, and the maps that this empties', () => {
    const { spec } = manifest
    expect(without(['metadata', 'labels', 'app'], ['spec', 'replicas'])).toEqual({
      spec: { ...spec, replicas: undefined },
    })
    expect(without(['spec', 'containers', '0', 'image'])).toMatchObject({
      spec: { containers: [{ name: 'main', ports: manifest.spec.containers[0]!.ports }] },
    })
    expect(without(['spec', 'containers', '0', 'ports', '0'])).toMatchObject({
      spec: { containers: [{ ports: [{ containerPort: 53 }] }] },
    })
    expect(without(['spec', 'args', '1'])).toEqual({ ...manifest, spec: { ...spec, args: undefined } })
  })
  it('stays as it is without any', () => {
    expect(withoutFields(manifest, FieldSet.empty, owned)).toEqual(manifest)
  })
  it('a name of JavaScript is a name like any other', () => {
    const hostile = JSON.parse('{"a":{"__proto__":1,"constructor":2,"toString":3}}') as JsonObject
    const set = parseFieldsV1(JSON.parse('{"f:a":{"f:toString":{}}}') as JsonObject)
    expect(JSON.stringify(withoutFields(hostile, set, set))).toBe('{"a":{"__proto__":1,"constructor":2}}')
    expect(missing(JSON.parse('{"constructor":1}') as JsonObject)).toEqual(['.constructor'])
  })
})

it('the part of a set that a manifest has', () => {
  const set = parseFieldsV1({
    'f:spec': { 'f:replicas': {}, 'f:paused': {}, 'f:finalizers': { 'v:"b"': {} } },
  })
  expect([...fieldsIn(manifest, set, owned).paths()].map(printPath)).toEqual(['.spec.replicas'])
})

it('a set touches what it has, what is below, and the whole that something is part of', () => {
  const path = (pointer: string[]) => pathOfPointer(pointer, manifest, FieldSet.empty)!
  expect(touches(owned, path(['spec', 'replicas']))).toBe(true)
  expect(touches(owned, path(['spec', 'containers']))).toBe(true)
  expect(touches(owned, path(['spec', 'args', '0']))).toBe(true)
  expect(touches(owned, path(['spec', 'paused']))).toBe(false)
})
