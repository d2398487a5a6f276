/** Sources that fail by a bug. */
import { expect, it } from 'vitest'
import { err, ok, type Result } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'
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
      { type: 'git', known, key, again: 'Never', work: what },
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

it('a failure is asked again 5 s later with other credentials, once; a success is not', async () => {
  const env = createSimEnv('poller credentials')
  const poller = new SourcePoller(env, () => {})
  const known = new Map<string, FetchState<string>>()
  const asked: string[] = []
  let accepted = 'v2'
  const look = (credentials?: string) => {
    const work = async (): Promise<Result<string, SourceFailure>> => {
      asked.push(credentials ?? 'unknown')
      const refused = fault('SourceAuthFailed', { because: 'NoCredentials', status: 401 })
      return credentials === accepted ? ok('content') : err(refused)
    }
    const asking = { who: 'm', namespace: 'a', intervalMs: 3_600_000, timeoutMs: 1000, trigger: '' }
    return poller.look({ type: 'git', known, key: 'k', again: 'Always', work }, { ...asking, credentials })
  }
  const pass = async (ms: number) => {
    env.clock.at(env.clock.steady() + ms, () => {})
    await env.clock.run(() => false, ms)
  }
  look()
  await pass(1000)
  expect(look('v1')).toMatchObject({ state: 'Failed', againInMs: 4000 })
  await pass(4000)
  for (let i = 0; i < 10; i++) {
    look('v1')
    await pass(60_000)
  }
  expect(asked).toEqual(['unknown', 'v1'])
  look('v2')
  await pass(1000)
  accepted = 'v3'
  expect(look('v3')).toMatchObject({ state: 'Known', value: 'content' })
  await pass(60_000)
  expect(asked).toEqual(['unknown', 'v1', 'v2'])
})
