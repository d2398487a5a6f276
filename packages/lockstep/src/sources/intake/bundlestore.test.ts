import { describe, expect, it } from 'vitest'
import { simFleet } from '../../../../../test/fleet/simfleet.ts'
import { digestOf, type KubeObject } from '../../../../kube/src/object/index.ts'
import { bundleOf } from './bundlesecrets.ts'
import { BundleStore } from './bundlestore.ts'

const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } }
const bundle = bundleOf([object], false, digestOf)

async function setup() {
  const fleet = await simFleet('bundles', [])
  const during = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false
    void work.finally(() => {
      isDone = true
    })
    await fleet.env.clock.run(() => isDone)
    return work
  }
  return { fleet, during, store: () => new BundleStore(fleet.hub) }
}

describe('a bundle that is stored already', () => {
  it('is taken as it is', async () => {
    const { during, store } = await setup()
    expect((await during(store().put('platform', bundle))).ok).toBe(true)
    expect((await during(store().put('platform', bundle))).ok).toBe(true)
    expect(await during(store().get('platform', bundle.digest))).toMatchObject({
      value: { objects: [object] },
    })
  })

  it('and cannot be read just now is no conflict: it is tried again', async () => {
    const { fleet, during, store } = await setup()
    await during(store().put('platform', bundle))
    fleet.env.net.wire('https://hub.test', {
      async before(request) {
        return request.method === 'GET' ? { phase: 'receive', detail: 'read ECONNRESET' } : undefined
      },
    })
    expect(await during(store().put('platform', bundle))).toMatchObject({
      ok: false,
      error: { reason: 'HubUnreachable', transient: true },
    })
    fleet.env.net.wire('https://hub.test', undefined)
    expect((await during(store().put('platform', bundle))).ok).toBe(true)
  })
})

describe('a bundle that the hub refuses', () => {
  it.each([401, 403, 413])('with %i is stored again later: a proxy may have refused it', async (status) => {
    const { fleet, during, store } = await setup()
    const page = { status, headers: { 'content-type': 'text/html' }, body: '<html>' }
    fleet.env.net.serve('https://hub.test', async () => page)
    expect(await during(store().put('platform', bundle))).toMatchObject({
      ok: false,
      error: { reason: 'HubUnreachable', transient: true },
    })
    fleet.env.net.serve('https://hub.test', fleet.hubApi.handle)
    expect((await during(store().put('platform', bundle))).ok).toBe(true)
  })
})
