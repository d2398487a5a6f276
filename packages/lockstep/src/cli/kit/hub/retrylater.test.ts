import { expect, it } from 'vitest'
import type { ServerResponse } from '../../../../../kube/src/env/net.ts'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import { retryLater } from './retrylater.ts'

const URL = 'https://hub.test'
const answer = (status: number, after?: string): ServerResponse => ({
  status,
  headers: after === undefined ? {} : { 'retry-after': after },
  body: '{}',
})

/** Status and seconds until the answer, and the number of requests, where a server answers so one after the other. */
async function asked(answers: readonly ServerResponse[], timeoutMs = 30_000) {
  const env = createSimEnv('retrylater')
  let requests = 0
  env.net.serve(URL, async () => answers[Math.min(requests++, answers.length - 1)]!)
  const connection = retryLater(env.clock, env.net.connect({ url: URL }, 'operator'))
  const begun = env.clock.steady()
  let done: [status: number | string, seconds: number, requests: number] | undefined
  void connection.request({ method: 'GET', path: '/', headers: {}, timeoutMs }).then((a) => {
    const seconds = Math.floor((env.clock.steady() - begun) / 1000)
    done = [a.ok ? a.value.status : a.error.phase, seconds, requests]
  })
  await env.clock.run(() => done !== undefined, 60_000)
  return done
}

it.each<[string, readonly ServerResponse[], [number, number, number]]>([
  ['a server that starts', [answer(429, '1'), answer(429, '1'), answer(200)], [200, 2, 3]],
  ['one that is full', [answer(503, '3'), answer(200)], [200, 3, 2]],
  ['one that stays full', [answer(429, '7')], [429, 28, 5]],
  ['one that asks for more time than there is', [answer(429, '31')], [429, 0, 1]],
  ['one that does not ask', [answer(503)], [503, 0, 1]],
  ['one that asks for nothing sensible', [answer(429, 'soon'), answer(200)], [429, 0, 1]],
  ['one that refuses', [answer(403, '1')], [403, 0, 1]],
])('%s', async (_, answers, expected) => {
  expect(await asked(answers)).toEqual(expected)
})
