import { expect, it } from 'vitest'
import { waitText } from './plandraw.ts'

it('says by which --max-removal too many would leave, and of nothing else', () => {
  const message = '400 of 410 clusters would leave'
  expect(waitText({ reason: 'RemovalTooLarge', message }, '20%')).toBe(
    `RemovalTooLarge: ${message} (with --max-removal 20%)`,
  )
  expect(waitText({ reason: 'RolloutLimit', message: 'x', count: 2 }, '20%')).toBe('2× RolloutLimit: x')
})
