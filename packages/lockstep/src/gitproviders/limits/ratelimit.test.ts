import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { RateLimitBudget } from './ratelimit.ts'

const left = (limit: number, remaining: number, windowMs = 3_600_000) => {
  const env = createSimEnv('left')
  const made = new RateLimitBudget(env.clock)
  const budget = { limit, remaining, windowMs, resetsInMs: 60_000 }
  made.saw(budget)
  const pass = async (seconds: number): Promise<void> => {
    let isOver = false
    env.clock.at(env.clock.steady() + seconds * 1000, () => {
      isOver = true
    })
    await env.clock.run(() => isOver)
  }
  return { made, budget, pass }
}

describe('what is left of a limit', () => {
  it('is for what changes something once it is less than a tenth, until the limit begins anew', async () => {
    const { made, budget, pass } = left(5000, 499)
    expect(made.pause).toEqual({ ms: 60_000, left: '499 of 5000 requests' })
    await pass(59)
    // The same answer once more is no later one.
    made.saw(budget)
    expect(made.pause?.ms).toBe(1000)
    await pass(1)
    expect(made.pause).toBeUndefined()
    expect(left(5000, 500).made.pause).toBeUndefined()
  })

  it.each([
    ['GitHub, 5,000 an hour', 5000, 3_600_000, 41],
    ['GitLab, 2,000 a minute', 2000, 60_000, 1000],
    ['very little', 10, 3_600_000, 1],
  ])('half of it is for looking: %s', (_, limit, windowMs, aMinute) => {
    expect(left(limit, limit, windowMs).made.polls.aMinute).toBe(aMinute)
  })

  it('a host that says nothing of a limit has none', () => {
    const made = new RateLimitBudget(createSimEnv('none').clock)
    expect([made.pause, made.polls.aMinute]).toEqual([undefined, Number.POSITIVE_INFINITY])
  })
})
