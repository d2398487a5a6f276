import { expect, it } from 'vitest'
import { adviceLine } from './adviceline.ts'

it('links to the reference only where it has the reason', () => {
  expect(adviceLine('Held', 'resume it', 'web')).toBe('What to do: resume it (reasons.md#held)')
  expect(adviceLine('ImagePullBackOff', 'make it available', 'web')).toBe('What to do: make it available')
})
