import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../test/property.ts'
import { utf8Length } from './utf8.ts'

describe('the length of a text as UTF-8', () => {
  it('is that of its bytes', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
      }),
    )
  })
})
