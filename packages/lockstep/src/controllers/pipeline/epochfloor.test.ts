import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { pipelineSpec } from '../../api/kinds/pipeline/spec.ts'
import { EpochFloorReader } from './epochfloor.ts'

const pullRequest = { provider: 'github', url: 'https://github.com/o/r', secretRef: { name: 'git' } }
const spec = pipelineSpec.parse({
  identity: 'podinfo',
  appRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'app' },
  environments: [
    { name: 'prod', targets: [{ namespace: 'prod' }], promotion: { strategy: 'pull-request', pullRequest } },
  ],
})
const pipeline = { metadata: { namespace: 'ns', name: 'podinfo', uid: 'u' }, spec } as never
const [prod] = spec.environments

function reader() {
  let asked = 0
  let isGone = false
  const repository = {
    branches: async () => {
      asked++
      const gone = { kind: 'RepositoryNotFound', wrote: 'no', request: 'git ls-remote', message: 'not found' }
      return isGone ? err(gone) : ok(new Map())
    },
  }
  const hub = {
    inputs: () => ({ get: async () => ok({ metadata: { resourceVersion: '1' } }) }),
    promotions: { store: { by: () => [] } },
  }
  const c = { hub, env: { clock: createSimEnv('floors').clock } } as never
  const forge = { repository, host: undefined, where: 'o/r@main' }
  const floors = new EpochFloorReader(c, { open: async () => ok(forge), close: async () => {} } as never)
  const looks = async (epoch: number | undefined): Promise<number> => {
    floors.saw(pipeline, 'prod', epoch)
    expect((await floors.of(pipeline, prod!, 'v1')).ok).toBe(true)
    return asked
  }
  /** What it waits for, and who was asked meanwhile. */
  const waits = async (environment = prod!) => {
    const found = await floors.of(pipeline, environment, 'v1')
    return [found.ok ? undefined : [found.error.blocker.reason, found.error.afterMs], asked]
  }
  const gone = (is: boolean) => {
    isGone = is
  }
  return { looks, waits, gone }
}

describe('what a host knows of epochs', () => {
  it('is asked once, and again where epochs have gone back: that is a restore', async () => {
    const { looks } = reader()
    expect([await looks(undefined), await looks(undefined), await looks(1), await looks(3)]).toEqual([
      1, 1, 1, 1,
    ])
    expect([await looks(2), await looks(2), await looks(3)]).toEqual([2, 2, 2])
    expect(await looks(undefined)).toBe(3)
  })

  it('is waited for where the repository is gone, and asked for at once where it is another one', async () => {
    const { looks, waits, gone } = reader()
    gone(true)
    const waiting = ['RepositoryNotFound', 600_000]
    expect([await waits(), await waits()]).toEqual([
      [waiting, 1],
      [waiting, 1],
    ])
    const other = { ...prod!.promotion!.pullRequest!, url: 'https://github.com/o/other' }
    const elsewhere = { ...prod!, promotion: { ...prod!.promotion!, pullRequest: other } } as never
    expect(await waits(elsewhere)).toEqual([waiting, 2])
    gone(false)
    // Of the first one it is not known that it is gone.
    expect(await looks(1)).toBe(3)
  })
})
