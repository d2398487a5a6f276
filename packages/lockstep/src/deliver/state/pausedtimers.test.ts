import { expect, it } from 'vitest'
import { pauseTimers, resumePausedTimers } from './pausedtimers.ts'
import { emptyMemory } from './unitmemory.ts'

const MINUTE = 60_000

it('what is waited for is waited for as long as before, less the time in which nothing could be written', () => {
  const memory = emptyMemory(0)
  memory.since.set('web', MINUTE)
  memory.degradedSince.set('web', 2 * MINUTE)
  memory.healthySince.set('db', MINUTE)
  memory.waits = { serial: 1, met: new Set(), since: new Map([['crd', MINUTE]]) }
  memory.checks = { serial: 1, times: [{ unhealthySince: MINUTE }, { healthySince: MINUTE }] }
  pauseTimers(memory, 3 * MINUTE)
  // Looked at once more meanwhile: it began with the first look.
  pauseTimers(memory, 30 * MINUTE)
  resumePausedTimers(memory, 63 * MINUTE)
  expect(memory.since.get('web')).toBe(61 * MINUTE)
  expect(memory.degradedSince.get('web')).toBe(62 * MINUTE)
  expect(memory.waits.since.get('crd')).toBe(61 * MINUTE)
  expect(memory.checks.times).toEqual([{ unhealthySince: 61 * MINUTE }, { healthySince: MINUTE }])
  // What was well is so without a break: nobody has seen one.
  expect(memory.healthySince.get('db')).toBe(MINUTE)
})

it('two times count both, and where nobody held it nothing is otherwise', () => {
  const memory = emptyMemory(0)
  memory.since.set('web', 0)
  resumePausedTimers(memory, MINUTE)
  expect(memory.since.get('web')).toBe(0)
  for (const from of [1, 5]) {
    pauseTimers(memory, from * MINUTE)
    resumePausedTimers(memory, (from + 2) * MINUTE)
  }
  expect(memory.since.get('web')).toBe(4 * MINUTE)
})
