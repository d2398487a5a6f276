import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { type BoundValue, boundObject, boundText, mentioned, mentionsIn, type Values } from './mention.ts'

const values: Values = new Map<string, BoundValue>([
  ['region', { value: 'eu' }],
  ['replicas', { value: 3 }],
  ['zones', { value: ['a', 'b'] }],
  ['on', { value: true }],
  ['tricky', { value: '$(region) $$(region)' }],
  ['yaml', { value: 'x"\nkind: Secret' }],
  ['__proto__', { value: 'p' }],
])

describe('a text', () => {
  it.each([
    ['no mention', 'no mention'],
    ['$(region)', 'eu'],
    ['a-$(region)-$(replicas)', 'a-eu-3'],
    ['$(zones) $(on)', '["a","b"] true'],
    ['$$(region)', '$(region)'],
    ['$$$(region)', '$$(region)'],
    ['$(POD_IP) $$(POD_IP)', '$(POD_IP) $$(POD_IP)'],
    ['$(region', '$(region'],
    ['$( region)', '$( region)'],
    ['$(tricky)', '$(region) $$(region)'],
    ['$$$$(region)', '$$$(region)'],
    ['$(__proto__)', 'p'],
  ])('%s becomes %s', (text, bound) => {
    expect(boundText(text, values)).toBe(bound)
  })

  it('mentions names, also where they are escaped', () => {
    expect(mentionsIn('$(a) $$(b) $(1) $c $(_d)')).toEqual(['a', 'b', '_d'])
  })
})

const object = (more: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  ...more,
})

describe('an object', () => {
  it('has each value in one scalar, of the type that it has', () => {
    const spec = {
      n: '$(replicas)',
      s: '$(replicas)x',
      l: ['$(zones)', { on: '$(on)' }],
      y: '$(yaml)',
      k: 1,
      z: null,
    }
    expect(boundObject(object({ spec }), values)).toEqual(
      object({
        spec: { n: 3, s: '3x', l: [['a', 'b'], { on: true }], y: 'x"\nkind: Secret', k: 1, z: null },
      }),
    )
  })

  it('keeps the names of its members', () => {
    const data = { '$(region)': '$(region)', __proto__x: '1' }
    expect(boundObject(object({ data }), values)).toEqual(
      object({ data: { '$(region)': 'eu', __proto__x: '1' } }),
    )
  })

  it('is text before its data is encoded, if it is a Secret', () => {
    const encoded = (text: string | Buffer) => Buffer.from(text).toString('base64')
    const binary = encoded(Buffer.from([0xff, 0xfe, 0x24, 0x28]))
    const secret = {
      ...object({ kind: 'Secret' }),
      data: { a: encoded('x=$(replicas)'), b: binary, c: encoded('x') },
    }
    expect(mentioned([secret])).toEqual(['replicas'])
    expect(boundObject(secret, values)).toEqual({
      ...secret,
      data: { a: encoded('x=3'), b: binary, c: encoded('x') },
    })
  })
})
