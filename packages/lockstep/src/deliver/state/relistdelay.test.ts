import { expect, it } from 'vitest'
import { relistDelayText } from './relistdelay.ts'

const MINUTE = 60_000
const listed = (kind: string, minutes: number) => ({ kind, agoMs: minutes * MINUTE })
const text = (...all: ReturnType<typeof listed>[]) => relistDelayText(all, 10 * MINUTE, '10m')

it('up to two intervals are a matter of turns', () => {
  expect(text()).toBeUndefined()
  expect(text(listed('services', 20), listed('configmaps', 1))).toBeUndefined()
})

it('then the kinds are named, and the shortest interval for which there was time', () => {
  expect(text(listed('services', 21), listed('configmaps', 34), listed('pods', 3))).toBe(
    'configmaps, services: may not be watched, and not listed for more than 2 intervals of 10m; there is time for one of 40m',
  )
})

it('the words stay the same for an interval', () => {
  expect(text(listed('services', 29))).toBe(text(listed('services', 21)))
  expect(text(listed('services', 31))).not.toBe(text(listed('services', 29)))
})
