import { expect, it } from 'vitest'
import { withSharedTimeout } from './sharedtimeout.ts'

it('what comes later has what was left by what came before, and nothing once it is over', () => {
  let now = 1000
  const left = withSharedTimeout({ steady: () => now }, { timeoutMs: 10_000 })
  expect(left()).toEqual({ timeoutMs: 10_000 })
  now += 8000
  expect(left()).toEqual({ timeoutMs: 2000 })
  now += 8000
  expect(left()).toEqual({ timeoutMs: 0 })
})
