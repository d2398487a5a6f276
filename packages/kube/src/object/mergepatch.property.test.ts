import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertProperty } from '../../../../test/property.ts'
import type { JsonValue } from './json.ts'
import { applyMergePatch, mergePatchBetween } from './mergepatch.ts'

const keys = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(1, 2, 'x', true, [], [1], {}),
    fc.dictionary(keys, tie('value'), { noNullPrototype: true }),
  ),
}))

it('makes the one of the other, by as little as there is between them (RFC 7396)', () => {
  assertProperty(
    fc.property(value, value, (from, to) => {
      expect(applyMergePatch(from, mergePatchBetween(from, to))).toEqual(to)
      if (typeof to === 'object' && !Array.isArray(to)) expect(mergePatchBetween(to, to)).toEqual({})
    }),
  )
})

it('what only one of them has is removed, or added; lists are replaced whole', () => {
  const live = { spec: { replicas: 5, list: [1, 2] }, status: { ready: 1 } }
  const manifest = { spec: { image: 'x', list: [1] } }
  expect(mergePatchBetween(live, manifest)).toEqual({
    spec: { replicas: null, image: 'x', list: [1] },
    status: null,
  })
})
