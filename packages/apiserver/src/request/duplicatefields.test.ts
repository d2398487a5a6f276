import { describe, expect, it } from 'vitest'
import { duplicateFields } from './duplicatefields.ts'

describe('repeated keys of a JSON text', () => {
  it.each([
    ['{"a":1,"b":{"a":1}}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"spec":{"n":1,"n":2}}', ['spec.n']],
    ['{"l":[{"x":1},{"x":1,"x":2}]}', ['l[1].x']],
    ['{"a":"{\\"b\\":1,\\"b\\":2}","c":["a","a"]}', []],
    ['{"a\\"":1, "a\\"" : 2}', ['a"']],
    ['{"a":1,"\\u0061":2}', ['a']],
  ])('%s', (text, want) => {
    expect(duplicateFields(text)).toEqual(want)
  })
})
