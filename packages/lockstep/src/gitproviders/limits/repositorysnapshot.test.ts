import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import type { GitProvider, GitProviderFailure, Pull, RequestBudget } from '../gitprovider.ts'
import type { GitRepository } from '../gitrepository.ts'
import { RateLimitBudget } from './ratelimit.ts'
import { RepositorySnapshots } from './repositorysnapshot.ts'
import { RequestPace } from './requestpace.ts'

const O = { timeoutMs: 1000 }
const LIMIT: RequestBudget = { limit: 5000, remaining: 4000, resetsInMs: 1_800_000, windowMs: 3_600_000 }
const DOWN: GitProviderFailure = { kind: 'Server', wrote: 'no', request: 'GET /pulls', message: 'down' }

function world(count = 1) {
  const env = createSimEnv('poll')
  const left = new RateLimitBudget(env.clock)
  const asked = { lists: 0, refs: [] as (readonly string[])[], ones: 0 }
  let isDown = false
  const pull = (number: number) => ({ number, headCommit: 'c1', mergeable: 'Unknown' }) as Pull
  const host = {
    openPulls: async () => {
      asked.lists++
      return isDown ? err(DOWN) : ok(Array.from({ length: count }, (_, i) => pull(i + 1)))
    },
  } as unknown as GitProvider
  const repository = {
    branches: async (names: readonly string[]) => {
      asked.refs.push(names)
      return ok(new Map())
    },
  } as unknown as GitRepository
  const poll = new RepositorySnapshots(env.clock, new RequestPace(env.clock, () => left.polls), 'o/r')
  const look = (base = 'main') => poll.look({ host, repository, base }, O)
  const pass = async (seconds: number): Promise<void> => {
    let isOver = false
    env.clock.at(env.clock.steady() + seconds * 1000, () => {
      isOver = true
    })
    await env.clock.run(() => isOver)
  }
  const down = (is: boolean) => {
    isDown = is
  }
  const ask = (answer: Pull['mergeable']) => async () => {
    asked.ones++
    return ok({ ...pull(1), mergeable: answer })
  }
  return { env, left, asked, poll, look, pass, down, pull, ask }
}

describe('what is open in a repository', () => {
  it('is looked at once a minute, whoever asks and however often, and says when it is again', async () => {
    const { look, asked, pass } = world()
    await Promise.all([look(), look(), look()])
    expect(asked.lists).toBe(1)
    await pass(20)
    expect(await look()).toMatchObject({ value: { atMs: 0, againMs: 40_000 } })
    await pass(40)
    await Promise.all([look(), look()])
    expect(asked.lists).toBe(2)
  })

  it('is one look for all bases; one that was not asked about before is asked at once', async () => {
    const { look, asked, pass } = world()
    await look('main')
    await look('prod')
    expect(asked.refs).toEqual([
      ['main', 'lockstep/'],
      ['main', 'prod', 'lockstep/'],
    ])
    await pass(60)
    await Promise.all([look('main'), look('prod')])
    expect(asked.lists).toBe(3)
  })

  it('that nobody answers is not asked by everybody at once, and is asked again soon', async () => {
    const { look, asked, pass, down } = world()
    down(true)
    expect(await Promise.all([look(), look()])).toMatchObject([{ error: DOWN }, { error: DOWN }])
    expect(await look()).toMatchObject({ error: DOWN })
    expect(asked.lists).toBe(1)
    down(false)
    await pass(6)
    expect(await look()).toMatchObject({ ok: true })
  })

  it('is looked at less often where its pages would take more than half of the limit', async () => {
    const { look, asked, pass, left } = world(2500)
    left.saw(LIMIT)
    await look()
    // 41 requests a minute, and 25 pages.
    for (let minute = 0; minute < 30; minute++) {
      await pass(60)
      await look()
    }
    expect(asked.lists).toBeGreaterThanOrEqual(15)
    expect(asked.lists * 25).toBeLessThanOrEqual(31 * 41)
  })
})

describe('whether one can be merged, where lists do not say it', () => {
  it('is asked until the host knows it, and anew where its head or its base is another', async () => {
    const { poll, pull, ask, asked } = world()
    const of = (base: string, answer: Pull['mergeable']) => poll.mergeable(pull(1), base, ask(answer))
    expect([await of('b1', 'Unknown'), await of('b1', 'Yes'), await of('b1', 'Conflict')]).toEqual([
      ...[ok('Unknown'), ok('Yes'), ok('Yes')],
    ])
    expect(asked.ones).toBe(2)
    expect(await of('b2', 'Conflict')).toEqual(ok('Conflict'))
    expect(asked.ones).toBe(3)
  })

  it('is not asked for ever while somebody else has to do something', async () => {
    const { poll, pull, ask, asked } = world()
    for (let i = 0; i < 20; i++) await poll.mergeable(pull(1), 'b1', ask('Unknown'))
    expect(asked.ones).toBe(3)
  })
})
