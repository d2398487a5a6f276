import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertProperty } from '../../../../test/property.ts'
import { sortedByText } from './sortedbytext.ts'

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 9 }),
  fc.stringMatching(/^v1:[0-9a-f]{0,9}$/),
  fc.string({ unit: fc.constantFrom('þ', 'ÿ', 'Ā', 'a', '\0'), maxLength: 9 }),
)

it('sorts as comparisons of the texts do, and keeps the order of what ties', () => {
  assertProperty(
    fc.property(
      fc.array(texts, { maxLength: 40 }),
      fc.constantFrom('', 'v1:'),
      fc.boolean(),
      (found, prefix, byPlace) => {
        const items = found.map((text, i) => ({ text: prefix + text, i }))
        const tie = (a: (typeof items)[0], b: (typeof items)[0]): number => (byPlace ? b.i - a.i : 0)
        const expected = [...items].sort((a, b) => (a.text === b.text ? tie(a, b) : a.text < b.text ? -1 : 1))
        expect(sortedByText(items, ({ text }) => text, tie)).toEqual(expected)
      },
    ),
  )
})
