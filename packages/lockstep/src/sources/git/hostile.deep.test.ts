/** No hostile repository keeps a source busy. */
import { performance } from 'node:perf_hooks'
import { expect } from 'vitest'
import { hostile, hostileCases } from './hostile.cases.ts'

hostileCases(hostile, async (attempt) => {
  const begin = performance.now()
  const found = await attempt
  expect(performance.now() - begin).toBeLessThan(5000)
  return found
})
