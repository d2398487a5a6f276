import { expect, it } from 'vitest'
import { JsonSyntaxError, parseJson } from './index.ts'

function brokenAt(text: string): number | undefined {
  try {
    parseJson(text)
  } catch (e) {
    if (e instanceof JsonSyntaxError) return e.offset
    throw e
  }
  return undefined
}

/** What the engine says of some of them has no place in it. */
it.each([
  ['[x]', 1],
  ['[1,]', 3],
  ['[{"a":1,}]', 8],
  ['{"a" 1}', 5],
  ['[1] 2', 4],
  ['[{"kind":', 9],
  ['[tru', 1],
  ['', 0],
  ['[1234567890123456, x]', 19],
])('JSON that is none says where it stops being so: %s', (text, offset) => {
  expect(brokenAt(text)).toBe(offset)
})
