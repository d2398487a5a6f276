/** How far back the base is looked through for epochs that nothing else remembers. */
import { expect, it } from 'vitest'
import { ok } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { pipelineSpec } from '../../api/kinds/pipeline/spec.ts'
import { messageOf } from '../../decisions/promotion/trailers.ts'
import { EpochFloorReader } from './epochfloor.ts'

const push = { url: 'https://github.com/o/r', branch: 'main', secretRef: { name: 'git' } }
const spec = pipelineSpec.parse({
  identity: 'podinfo',
  appRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'app' },
  environments: [{ name: 'prod', targets: [{ namespace: 'prod' }], promotion: { strategy: 'push', push } }],
})
const [prod] = spec.environments
const pipeline = { metadata: { namespace: 'ns', name: 'podinfo', uid: 'u' }, spec } as never
const promoted = messageOf({ identity: 'podinfo', environment: 'prod', epoch: 7, revision: 'v7' })

/** Of a base that has got so many commits of others since epoch 7. */
async function floorAfter(others: number) {
  const messages = [...Array<string>(others).fill('fix'), promoted, 'begin']
  const repository = {
    branches: async () => ok(new Map([['main', 'c']])),
    history: async (_of: string, _not: string | undefined, limit: number) =>
      ok(messages.slice(0, limit).map((message) => ({ message }))),
  }
  const hub = {
    inputs: () => ({ get: async () => ok({ metadata: { resourceVersion: '1' } }) }),
    promotions: { store: { by: () => [] } },
  }
  const c = { hub, env: { clock: createSimEnv('floorcommits').clock } } as never
  const forges = { open: async () => ok({ repository, host: undefined, where: 'o/r@main' }) }
  const floor = await new EpochFloorReader(c, forges as never).of(pipeline, prod!, 'v8')
  return floor.ok ? floor.value : undefined
}

it('an epoch is found in the last 1,000 commits of the base, and not beyond', async () => {
  expect(await floorAfter(0)).toEqual({ epoch: 7, revision: 'v7' })
  expect(await floorAfter(999)).toEqual({ epoch: 7, revision: 'v7' })
  expect(await floorAfter(1000)).toEqual({ epoch: 0, revision: undefined })
})
