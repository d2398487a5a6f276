import { describe, expect, it } from 'vitest'
import { retryAtMs } from './setretrystate.ts'

const MINUTE = 60_000

/** When something that always fails is tried, in seconds after a change at 0; an attempt takes no time. */
function attempts(untilMs: number, intervalMs: number): number[] {
  const at = [0]
  while (at.at(-1)! < untilMs)
    at.push(retryAtMs({ failures: at.length, failedMs: at.at(-1)!, changedMs: 0 }, intervalMs))
  return at.map((ms) => ms / 1000)
}

describe('what fails is tried again', () => {
  it('after 1, 2, 4, 8 and 15 s, then each 15 s', () => {
    expect(attempts(100_000, 10 * MINUTE)).toEqual([0, 1, 3, 7, 15, 30, 45, 60, 75, 90, 105])
  })

  it('for ten minutes, then each minute', () => {
    const late = attempts(900_000, 10 * MINUTE).filter((t) => t >= 570)
    expect(late).toEqual([570, 585, 600, 660, 720, 780, 840, 900])
  })

  it('or each interval, where that is shorter', () => {
    expect(attempts(700_000, 30_000).filter((t) => t >= 600)).toEqual([600, 630, 660, 690, 720])
  })

  it('never more than a minute later, with an interval of one: not in a day', () => {
    const at = attempts(24 * 60 * MINUTE, MINUTE)
    expect(Math.max(...at.slice(1).map((t, i) => t - at[i]!))).toBe(60)
  })

  it('from the first step on after a change, whenever that is', () => {
    const late = { failures: 1, failedMs: 20 * MINUTE, changedMs: 0 }
    expect(retryAtMs(late, MINUTE)).toBe(20 * MINUTE + 1000)
    const changed = { failures: 6, failedMs: 20 * MINUTE, changedMs: 15 * MINUTE }
    expect(retryAtMs(changed, MINUTE)).toBe(20 * MINUTE + 15_000)
  })
})
