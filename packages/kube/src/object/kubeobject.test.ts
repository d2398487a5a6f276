import { expect, it } from 'vitest'
import { type KubeObject, withKnownData } from './index.ts'

const object = (resourceVersion: string, data: object | undefined, over: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a', uid: 'u1', resourceVersion, managedFields: [] },
  type: 'Opaque',
  ...(data ? { data } : {}),
  ...over,
})
const before = withKnownData(object('1', { a: 'x', b: 'y' }))

it('data that is equal is the very same, whatever is written beside it', () => {
  const after = withKnownData(object('2', { b: 'y', a: 'x' }), before)
  expect(after.data).toBe(before.data)
  expect(after.metadata).toEqual({ name: 'a', uid: 'u1', resourceVersion: '2' })
})

it.each([
  ['other data', object('2', { a: 'x' })],
  ['another object of that name', object('2', { a: 'x', b: 'y' }, { metadata: { name: 'a', uid: 'u2' } })],
  ['another type', object('2', { a: 'x', b: 'y' }, { type: 'kubernetes.io/tls' })],
  ['no data', object('2', undefined)],
])('%s is not', (_, other) => {
  const { managedFields: _fields, ...metadata } = other.metadata
  const after = withKnownData(other, before)
  expect(after).toEqual({ ...other, metadata })
  expect(after.data).not.toBe(before.data)
})
