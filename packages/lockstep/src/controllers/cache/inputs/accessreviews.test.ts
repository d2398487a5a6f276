import type { KubeClient } from '@lockstep/kube/client'
import { err, ok, sleep } from '@lockstep/kube/env'
import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import type { MissingRight } from '../../../api/account.ts'
import { missingRightText } from '../../../api/account.ts'
import { AccessReviews } from './accessreviews.ts'

const RIGHT = { verb: 'get', group: '', resource: 'secrets', namespace: 'n' }
const ACCOUNT = { namespace: 'n', name: 'web' }
const USER = 'system:serviceaccount:n:web'

/** A hub whose answers a test sets. */
function hub() {
  const env = createSimEnv('reviews')
  const state = { allowed: false, exists: false, asked: 0, read: 0 }
  const create = async () => {
    state.asked++
    return ok({ status: { allowed: state.allowed } })
  }
  const get = async () => {
    state.read++
    return state.exists ? ok({}) : err({ kind: 'NotFound' })
  }
  const client = { create, get } as unknown as KubeClient
  const reviews = new AccessReviews(env, { own: client, inputs: () => client, userOf: () => USER }, () => {})
  const missing = async (): Promise<readonly MissingRight[]> => {
    const found = await reviews.missing(ACCOUNT, [RIGHT])
    return found.ok ? found.value : []
  }
  const pass = async () => {
    const over = sleep(env.clock, 10_000)
    await env.clock.run(() => false, 10_000)
    await over
  }
  return { state, reviews, missing, pass }
}

it('a review that ended by a bug is asked for again', async () => {
  let asked = 0
  const create = async () => {
    if (++asked === 1) throw new Error('a bug')
    return ok({ status: { allowed: true } })
  }
  const client = { create } as unknown as KubeClient
  const clients = { own: client, inputs: () => client, userOf: () => 'u' }
  const reviews = new AccessReviews(createSimEnv('reviews'), clients, () => {})
  await expect(reviews.missing({ namespace: 'n' }, [RIGHT])).rejects.toThrow('a bug')
  expect(await reviews.missing({ namespace: 'n' }, [RIGHT])).toEqual(ok([]))
  expect(asked).toBe(2)
})

it('a refused account is read: first it does not exist, then it has no right, then it has', async () => {
  const { state, reviews, missing, pass } = hub()
  const texts = async () => (await missing()).map(missingRightText)
  expect(await texts()).toEqual(['ServiceAccount n/web does not exist'])
  expect(reviews.lastRefusal(ACCOUNT, RIGHT)).toMatchObject({ absent: true })
  state.exists = true
  await pass()
  expect(await texts()).toEqual([`${USER} cannot get secrets in namespace n on hub`])
  state.allowed = true
  await pass()
  expect([await texts(), state.asked, state.read]).toEqual([[], 3, 2])
})

it('an account with the right is not read: a role may name it before it exists', async () => {
  const { state, missing } = hub()
  state.allowed = true
  expect([await missing(), state.read]).toEqual([[], 0])
})

it('a read that the server refused is reviewed next time', async () => {
  const { state, reviews } = hub()
  expect(reviews.refusedRead(ACCOUNT, RIGHT)).not.toHaveProperty('absent')
  expect(state.asked).toBe(0)
  await reviews.reviewRefused(ACCOUNT, [RIGHT])
  expect(reviews.refusedRead(ACCOUNT, RIGHT)).toMatchObject({ absent: true })
})
