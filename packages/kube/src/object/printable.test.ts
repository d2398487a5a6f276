import { expect, it } from 'vitest'
import { printable, printableLines } from './printable.ts'

it.each([
  ['\u001b[2J', '\\x1b[2J'],
  ['\u001b]0;owned\u0007', '\\x1b]0;owned\\x07'],
  ['\u009b31m', '\\x9b31m'],
  ['a\rb\0c\u007f', 'a\\x0db\\x00c\\x7f'],
  ['ok\u202egnp.exe\u2069', 'ok\\u202egnp.exe\\u2069'],
  ['\u200fרגיל', '\\u200fרגיל'],
  ['é ✔ 日本 👩‍🚀', 'é ✔ 日本 👩‍🚀'],
])('%j is shown as %s', (text, shown) => {
  expect(printable(text)).toBe(shown)
  expect(printable(printable(text))).toBe(shown)
})

it('one line is one line; lines stay lines', () => {
  expect(printable('a\tb\nc')).toBe('a\\x09b\\x0ac')
  expect(printableLines('a\tb\nc\r')).toBe('a\tb\nc\\x0d')
})
