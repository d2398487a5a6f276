import { expect, it } from 'vitest'
import { concurrentMap } from './concurrentmap.ts'

const NUMBERS = Array.from({ length: 40 }, (_, i) => i)

it('works on 16 items at once, and keeps their order', async () => {
  let [running, most] = [0, 0]
  const results = await concurrentMap(NUMBERS, new AbortController().signal, async (n) => {
    most = Math.max(most, ++running)
    for (let turns = NUMBERS.length - n; turns > 0; turns--) await Promise.resolve()
    running--
    return n * 2
  })
  expect(results).toEqual(NUMBERS.map((n) => n * 2))
  expect(most).toBe(16)
})

it('begins no item after an abort', async () => {
  const abort = new AbortController()
  const begun: number[] = []
  const results = await concurrentMap(NUMBERS, abort.signal, async (n) => {
    begun.push(n)
    if (n === 3) abort.abort()
    await Promise.resolve()
    return n
  })
  expect(begun).toEqual([0, 1, 2, 3])
  expect(results).toEqual([0, 1, 2, 3])
})
