import { expect, it } from 'vitest'
import type { BoundValue } from '../../decisions/binding/mention.ts'
import { redactMessages, redactText, textsToRedact } from './redact.ts'

const values: BoundValue[] = [
  { value: 'eu-central' },
  { value: 'hunter2\nsecond line', secret: true },
  { value: { user: 'admin7', port: 54321, on: true, none: null }, secret: true },
  { value: 'abc', secret: true },
]
const hidden = textsToRedact(values)

it.each([
  ['Invalid value: "hunter2": no', 'Invalid value: "***": no'],
  ['the second line of it', 'the *** of it'],
  ['hunter2\nsecond line', '***'],
  [`data: ${Buffer.from('hunter2\nsecond line').toString('base64')}`, 'data: ***'],
  ['user admin7 at port 54321', 'user *** at port ***'],
  ['eu-central is on, abc', 'eu-central is on, abc'],
])('%s becomes %s', (text, shown) => {
  expect(redactText(text, hidden)).toBe(shown)
})

it('only messages of a status are looked at, at any depth', () => {
  const status = { state: 'admin7', conditions: [{ type: 'admin7', message: 'no admin7' }], n: 1 }
  expect(redactMessages(status, hidden)).toEqual({
    state: 'admin7',
    conditions: [{ type: 'admin7', message: 'no ***' }],
    n: 1,
  })
  expect(redactMessages(status, [])).toBe(status)
})
