import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../test/property.ts'
import { utf8Length, utf8Text } from './utf8.ts'

describe('the length of a text as UTF-8', () => {
  it('is that of its bytes', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
      }),
    )
  })
})

describe('bytes of a file', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  it.each([
    ['are a text', Buffer.from('a: é\n'), { text: 'a: é\n' }],
    ['lose the mark of their encoding', Buffer.from('\uFEFFa: 1\n'), { text: 'a: 1\n' }],
    ['may be none, or one', Buffer.from('a'), { text: 'a' }],
    ['in UTF-16 with a mark are named', utf16('\uFEFFa: 1\n'), { problem: 'is UTF-16; save it as UTF-8' }],
    ['in UTF-16 without a mark are named', utf16('a: 1\n'), { problem: 'is UTF-16; save it as UTF-8' }],
    [
      'in UTF-16, big end first, are named',
      utf16('a: 1\n').swap16(),
      { problem: 'is UTF-16; save it as UTF-8' },
    ],
    [
      'in Latin-1 are refused',
      Buffer.from('a: é\n', 'latin1'),
      { problem: 'is not UTF-8; save it as UTF-8' },
    ],
  ])('%s', (_, bytes, expected) => {
    expect(utf8Text(bytes)).toEqual(expected)
  })
})
