import type { KubeClient } from '@lockstep/kube/client'
import { ok } from '@lockstep/kube/env'
import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import { AccessReviews } from './accessreviews.ts'

const RIGHT = { verb: 'get', group: '', resource: 'secrets', namespace: 'n' }

it('a review that ended by a bug is asked for again', async () => {
  let asked = 0
  const create = async () => {
    if (++asked === 1) throw new Error('a bug')
    return ok({ status: { allowed: true } })
  }
  const client = { create } as unknown as KubeClient
  const reviews = new AccessReviews(
    createSimEnv('reviews'),
    { inputs: () => client, userOf: () => 'u' },
    () => {},
  )
  await expect(reviews.missing({ namespace: 'n' }, [RIGHT])).rejects.toThrow('a bug')
  expect(await reviews.missing({ namespace: 'n' }, [RIGHT])).toEqual(ok([]))
  expect(asked).toBe(2)
})
