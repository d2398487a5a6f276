import { describe, expect, it } from 'vitest'
import { createSimEnv } from './sim/simenv.ts'
import { sleep } from './sleep.ts'
import { supervise, supervised } from './supervise.ts'

function scoped() {
  const sim = createSimEnv('supervisor')
  const caught: string[] = []
  const env = supervised(sim, { failed: (error) => caught.push((error as Error).message) })
  return { sim, env, caught, pass: (ms: number) => sim.clock.run(() => false, ms) }
}

const fail = (text: string) => (): never => {
  throw new Error(text)
}

describe('an exception reaches the supervisor of its scope', () => {
  it('from a loop, at once and later, and from a timer', async () => {
    const { env, caught, pass } = scoped()
    supervise(env, fail('at once'))
    supervise(env, async () => {
      await sleep(env.clock, 1000)
      throw new Error('later')
    })
    env.clock.at(2000, fail('timer'))
    await pass(3000)
    expect(caught).toEqual(['at once', 'later', 'timer'])
  })

  it('and only that one: a scope inside has its own', async () => {
    const { env, caught, pass } = scoped()
    const inner: string[] = []
    const inside = supervised(env, { failed: (error) => inner.push((error as Error).message) })
    supervise(inside, fail('loop'))
    inside.clock.at(1000, fail('timer'))
    await pass(2000)
    expect([inner, caught]).toEqual([['loop', 'timer'], []])
  })

  it('and other loops continue', async () => {
    const { env, caught, pass } = scoped()
    let turns = 0
    supervise(env, async () => {
      for (;;) {
        await sleep(env.clock, 1000)
        turns++
      }
    })
    env.clock.at(1500, fail('x'))
    await pass(5000)
    expect([turns, caught]).toEqual([5, ['x']])
  })
})

it('without a scope the exception of a timer is thrown', async () => {
  const { sim } = scoped()
  sim.clock.at(1, fail('not supervised'))
  await expect(sim.clock.run(() => false, 10)).rejects.toThrow('not supervised')
})
