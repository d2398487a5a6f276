import { describe, expect, it } from 'vitest'
import { at, member } from '../../../../../kube/src/object/index.ts'
import { files, hub, made, refusal, those } from '../clustergroup.cases.ts'
import { renderClusterGroup } from '../render/renderclustergroup.ts'
import { largestValues, noValuesFiles } from './layers.cases.ts'
import { decodeValues } from './layers.ts'

const object = (data: string): string =>
  hub(
    `extraObjects:\n  a:\n    apiVersion: v1\n    kind: A\n    metadata: {name: a}\n${data.replace(/^/gm, '    ')}`,
  )

const dataOf = (...texts: string[]): unknown => member(those('A', ...texts)[0], 'data')

describe('values files come together from left to right', () => {
  const base = object('data: {kept: 1, changed: 1, gone: 1, list: [1, 2], map: {a: 1}}')
  const over = (data: string): string => `clusterGroup: {extraObjects: {a: {data: ${data}}}}`

  it('maps by key, everything else replaces', () => {
    expect(dataOf(base, over('{changed: 2, list: [3], map: {b: 2}, more: 1}'))).toEqual({
      kept: 1,
      changed: 2,
      gone: 1,
      list: [3],
      map: { a: 1, b: 2 },
      more: 1,
    })
    expect(dataOf(base, over('text'))).toBe('text')
    expect(dataOf(object('data: text'), over('{a: 1}'))).toEqual({ a: 1 })
  })
  it('null replaces and stays', () => {
    expect(dataOf(base, over('{gone: null, map: null}'))).toMatchObject({ gone: null, map: null })
    expect(dataOf(base, over('{gone: null}'), over('{gone: 2}'))).toMatchObject({ gone: 2 })
  })
  it('null over a default takes it away', () => {
    const text = 'clusterGroup: {targetCluster: null, applications: {a: {name: a, path: a}}}'
    expect(those('Application', text)[0]!.spec).toMatchObject({ destination: { name: null } })
    expect(refusal(hub(''), 'global: {options: {useCSV: null}}')).toEqual([
      'values: 1.yaml: global.options.useCSV is required; null in 1.yaml takes its default away',
    ])
  })
  it('null over what other files say is what each template makes of it', () => {
    const lower = hub(`subscriptions: {logging: {name: logging}, odf: {name: odf}}
applications: {a: {name: a}, b: {name: b}}
extraObjects: {settings: {kind: Settings, data: {region: eu}}}`)
    const upper =
      'clusterGroup: {subscriptions: {logging: null}, applications: {b: null}, extraObjects: {settings: {data: {region: null}}}}'
    const { objects } = made(lower, upper)
    expect(objects.map((o) => [o.kind, at(o, 'metadata', 'name')])).toEqual([
      ['Subscription', 'odf'],
      ['Settings', undefined],
      ['Application', 'a'],
    ])
    expect(objects[1]).toEqual({ kind: 'Settings', data: { region: null } })
  })
  it('a map of the defaults gives way to what is none', () => {
    expect(those('Subscription', hub('subscriptions: [{name: a}]'))).toHaveLength(1)
  })
  it('values that stand elsewhere come last', () => {
    const values = { clusterGroup: { extraObjects: { a: { data: 9007199254740993n } } } }
    const result = renderClusterGroup({ files: files(base, over('2')), inline: { place: 'here', values } })
    expect(result).toMatchObject({ ok: true, value: { objects: [{ data: 9007199254740992 }] } })
    const wrong = renderClusterGroup({
      files: [],
      inline: { place: 'here', values: { global: { options: 1 } } },
    })
    expect(wrong).toMatchObject({
      ok: false,
      error: [{ text: 'here: global.options: 1 is a number; write a map' }],
    })
  })
})

describe('a file is read as YAML 1.1', () => {
  it.each([
    ['a: yes\nb: Off\nc: y\nd: N', { a: true, b: false, c: true, d: false }],
    ['on: a\nno: b\n1: c\n~key: d', { true: 'a', false: 'b', '1': 'c', '~key': 'd' }],
    ['a: 0755\nb: 0o755\nc: 0x1F\nd: 0b1\ne: 1_000', { a: 493, b: 493, c: 31, d: 1, e: 1000 }],
    ['a: .5\nb: 1.0e+3\nc: 1.10\nd: 1e3', { a: 0.5, b: 1000, c: 1.1, d: 1000 }],
    ['a: ~\nb: Null\nc:\nd: "~"', { a: null, b: null, c: null, d: '~' }],
    ['a: 1:30\nb: 2024-11-07\nc: =', { a: '1:30', b: '2024-11-07', c: '=' }],
    ['a: 1\na: 2', { a: 2 }],
    ['a: 9007199254740991\nb: 9007199254740993', { a: 9007199254740991, b: 9007199254740992 }],
    ['b: &b {x: 1, z: 1}\na: {<<: *b, z: 2}', { b: { x: 1, z: 1 }, a: { x: 1, z: 2 } }],
  ])('%j', (yaml, expected) => {
    expect(dataOf(object(`data:\n${yaml.replace(/^/gm, '  ')}`))).toEqual(expected)
  })
  it('nothing is no value', () => expect(made('')).toEqual({ objects: [], warnings: [] }))
})

describe('a file that is no values file says where', () => {
  it.each(noValuesFiles)('%s', (_, text, says) => {
    const found = refusal(text)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(says)
  })
  it('all of them at once', () => expect(refusal('[', '{', 'a: 1')).toHaveLength(2))
  it('no UTF-8', () => {
    expect(decodeValues('a.yaml', Uint8Array.of(0x61, 0xff))).toMatchObject({
      stage: 'read',
      text: 'a.yaml: is not UTF-8; save it as UTF-8',
    })
    expect(decodeValues('a.yaml', new TextEncoder().encode('a: ✓'))).toEqual({ file: 'a.yaml', text: 'a: ✓' })
  })
  it('the largest that is read is read in a moment', () => {
    expect(made(largestValues()).objects).toHaveLength(1600)
  })
})
