/** Sources that fail by a bug. */
import { expect, it } from 'vitest'
import { ok, type Result } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import type { SourceFailure } from './sourcefailure.ts'
import { type FetchState, SourcePoller } from './sourcepoller.ts'

it('an exception is a failure of its source, which is asked again; other sources are fetched', async () => {
  const env = createSimEnv('poller')
  const woken: string[] = []
  const poller = new SourcePoller(env, (who) => woken.push(who))
  const known = new Map<string, FetchState<string>>()
  let isBroken = true
  const work = async (): Promise<Result<string, SourceFailure>> => {
    if (isBroken) throw new TypeError('x is not iterable')
    return ok('content')
  }
  const look = (key: string, what: typeof work) =>
    poller.look(
      { known, key, again: 'Never', work: what },
      { who: key, namespace: 'a', intervalMs: 60_000, timeoutMs: 1000, trigger: '' },
    )
  look('bad', work)
  look('good', async () => ok('other'))
  await env.clock.run(() => woken.length === 2)
  expect(look('good', work)).toMatchObject({ state: 'Known', value: 'other' })
  expect(look('bad', work)).toMatchObject({
    state: 'Failed',
    failure: {
      reason: 'InternalError',
      message: 'TypeError: x is not iterable; this is a bug in Lockstep, please report it',
    },
  })
  isBroken = false
  env.clock.at(env.clock.steady() + 2000, () => {})
  await env.clock.run(() => false, 3000)
  look('bad', work)
  await env.clock.run(() => woken.length === 3)
  expect(look('bad', work)).toMatchObject({ state: 'Known', value: 'content' })
})
