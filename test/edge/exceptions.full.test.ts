/** Exceptions planted in loops of the controllers: each is reported on its scope, all others continue. In virtual time. */

import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Net, NetRequest } from '../../packages/kube/src/env/net.ts'
import type { Provenance } from '../../packages/kube/src/env/provenance.ts'
import { at } from '../../packages/kube/src/object/json.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import {
  Incidents,
  SupervisedManager,
} from '../../packages/lockstep/src/controllers/manager/supervisedmanager.ts'
import { manifest, SetStory, sources, yaml } from '../fleet/setstory.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { publish, ready, reasons } from '../fleet/single.ts'
import { configManifest, Story } from '../fleet/steps.ts'

interface Plant {
  /** Server of the requests that throw. */
  readonly host: string
  readonly throws: (request: NetRequest) => boolean
  /** Absent: for ever. */
  readonly times?: number
}

const TEXT = 'planted is not a function'
const MESSAGE = `InternalError: TypeError: ${TEXT}; this is a bug in Lockstep, please report it`

const configValue = (story: Story, cluster: string, name: string): unknown =>
  at(story.live(cluster, 'configmaps', name), 'data', 'value')

/** `m` on `edge` and `other` on all of `edge` and `calm` are ready; from then on requests throw as `plant` asks. */
async function planted(name: string, plant: Plant) {
  const story = await Story.begin(name, ['edge', 'calm'])
  story.manager.stop()
  let isOn = false
  let left = plant.times ?? Number.POSITIVE_INFINITY
  const { env } = story.fleet
  const net = {
    ...env.net,
    connect(endpoint: { readonly url: string }, by: Provenance) {
      const inner = env.net.connect(endpoint, by)
      return {
        close: () => inner.close(),
        request(request: NetRequest) {
          const isMine =
            isOn && left > 0 && endpoint.url === `https://${plant.host}.test` && plant.throws(request)
          if (isMine) {
            left--
            throw new TypeError(TEXT)
          }
          return inner.request(request)
        },
      }
    },
  }
  const managed = new SupervisedManager({ ...env, net }, new Incidents(), (scope) => {
    const client = createHttpClient(scope, 'hub', scope.net.connect({ url: 'https://hub.test' }, 'operator'))
    return { manager: startManager(scope, client), close: () => client.close() }
  })
  story.manager = managed.current!
  await publish(story, configManifest('mine', '1'), { targets: { clusters: ['edge'] } })
  await story.config('other', configManifest('other', '1'))
  await story.module('other', 'other', { targets: { clusters: ['calm'] } })
  await ready(story)
  expect(await story.until(() => story.isReady('other'))).toBe(true)
  isOn = true
  return {
    story,
    managed,
    heal: () => {
      isOn = false
    },
    condition: () => managed.current?.fleet.condition(managed.current.fleet.view(NAMESPACE, 'edge')!),
    /** A new release of both Modules. */
    async release(version: string) {
      await publish(story, configManifest('mine', version), { targets: { clusters: ['edge'] } })
      await story.config(`other-${version}`, configManifest('other', version))
      await story.module('other', `other-${version}`, { targets: { clusters: ['calm'] } })
    },
    otherIs: (version: string) => () => configValue(story, 'calm', 'other') === version,
    mineIs: (version: string) => () => configValue(story, 'edge', 'mine') === version,
  }
}

const anyWatch = (r: NetRequest): boolean => r.path.includes('watch=true')
const anyRequest = (): boolean => true

describe('an exception of a session', () => {
  it.each([
    ['watches', anyWatch],
    ['every request', anyRequest],
    ['the identity', (r: NetRequest) => r.path.includes('namespaces')],
    ['discovery', (r: NetRequest) => /^\/apis?$/.test(r.path)],
  ])('in %s is of its cluster, and of no other', async (name, throws) => {
    const p = await planted(`session ${name}`, { host: 'edge', throws })
    // Watches of the session begin again.
    p.story.fleet.env.net.cut('https://edge.test')
    await p.release('2')
    expect(await p.story.until(p.otherIs('2'), 30)).toBe(true)
    const isSaid = () => p.condition()?.reason === 'InternalError' || p.mineIs('2')()
    expect(await p.story.until(isSaid, 120), p.condition()?.message).toBe(true)
    await p.story.pass(600)
    expect(p.managed.current?.idle).toBeDefined()
    p.heal()
    expect(await p.story.until(p.mineIs('2'), 400), reasons(p.story).join()).toBe(true)
    expect(p.story.fleet.oracles.violations).toEqual([])
    await p.managed.stop()
  })

  it('once: the next session begins within seconds', async () => {
    const p = await planted('session once', { host: 'edge', throws: anyWatch, times: 1 })
    p.story.fleet.env.net.cut('https://edge.test')
    expect(await p.story.until(() => p.condition()?.reason === 'InternalError', 60)).toBe(true)
    expect(p.condition()).toMatchObject({
      state: 'Unreachable',
      message: `TypeError: ${TEXT}; this is a bug in Lockstep, please report it`,
    })
    await p.release('2')
    expect(await p.story.until(p.mineIs('2'), 10)).toBe(true)
    expect(p.condition()?.state).toBe('Connected')
    await p.managed.stop()
  })
})

describe('an exception of a controller', () => {
  it('for ever is reported by the unit after the third, and by it alone', async () => {
    const p = await planted('unit', { host: 'edge', throws: (r) => r.method === 'PATCH' })
    await p.release('2')
    expect(await p.story.until(p.otherIs('2'), 30)).toBe(true)
    expect(await p.story.until(() => reasons(p.story).includes(MESSAGE), 60), reasons(p.story).join()).toBe(
      true,
    )
    expect(p.condition()?.state).toBe('Connected')
    p.heal()
    expect(await p.story.until(p.mineIs('2'), 400)).toBe(true)
    expect(await p.story.until(() => reasons(p.story).length === 0, 60), reasons(p.story).join()).toBe(true)
    await p.managed.stop()
  })

  it('once is tried again, and not reported', async () => {
    const p = await planted('unit once', { host: 'edge', throws: (r) => r.method === 'PATCH', times: 2 })
    await p.release('2')
    expect(await p.story.until(p.mineIs('2'), 30)).toBe(true)
    const isReported = p.story.fleet.commits.some((c) =>
      JSON.stringify(c.next ?? '').includes('InternalError'),
    )
    expect(isReported).toBe(false)
    await p.managed.stop()
  })

  it('of a Module is reported by the Module, and its unit stays as it is', async () => {
    const isPublish = (r: NetRequest): boolean =>
      r.method === 'POST' && r.path.includes('controllerrevisions')
    const p = await planted('module', { host: 'hub', throws: isPublish })
    await publish(p.story, configManifest('mine', '2'), { targets: { clusters: ['edge'] } })
    const isSaid = () => p.story.blockers('m').includes(MESSAGE)
    expect(await p.story.until(isSaid, 60), p.story.blockers('m').join()).toBe(true)
    expect(p.story.see('m').status?.conditions?.find((c) => c.type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'InternalError',
    })
    expect([p.mineIs('1')(), p.story.isReady('other')]).toEqual([true, true])
    p.heal()
    expect(await p.story.until(p.mineIs('2'), 400)).toBe(true)
    await p.managed.stop()
  })
})

it('an exception of a ClusterResourceSet is reported in its Ready condition, and ends', async () => {
  const story = await SetStory.open('a bug in a set', ['c1'])
  story.manager.stop()
  const { env } = story.fleet
  let isOn = true
  const net: Net = {
    ...env.net,
    connect(endpoint, by) {
      const inner = env.net.connect(endpoint, by)
      return {
        close: () => inner.close(),
        request(request) {
          const isOfSet = request.method === 'PATCH' && /clusterresourcesets\/[\w-]+(\?|$)/.test(request.path)
          if (isOn && isOfSet) throw new TypeError(TEXT)
          return inner.request(request)
        },
      }
    },
  }
  const connection = net.connect({ url: 'https://hub.test' }, 'operator')
  story.manager = startManager({ ...env, net }, createHttpClient(env, 'hub', connection))
  await story.source('a', { 'a.yaml': yaml(manifest('ConfigMap', 'a')) })
  await story.set('web', sources('a'))
  const ready = (): string => story.said('web', 'Ready')
  const reported = `False/${MESSAGE}`
  expect(await story.until(() => ready() === reported, 60), ready()).toBe(true)
  isOn = false
  const isRepaired = (): boolean => story.isApplied('web', ['c1']) && ready().startsWith('True/')
  expect(await story.until(isRepaired, 400), ready()).toBe(true)
})

it('an exception of a cache of the hub starts the controllers again, and nothing is deleted', async () => {
  const p = await planted('hub cache', { host: 'hub', throws: anyWatch, times: 1 })
  const before = p.managed.current
  const from = p.story.fleet.commits.length
  p.story.fleet.env.net.cut('https://hub.test')
  await p.story.pass(30)
  expect([p.managed.current !== undefined, p.managed.current !== before]).toEqual([true, true])
  await p.release('2')
  expect(await p.story.until(() => p.mineIs('2')() && p.otherIs('2')(), 60)).toBe(true)
  const deleted = p.story.writes('edge', from).filter((w) => w.startsWith('delete '))
  expect([deleted, p.story.fleet.oracles.violations]).toEqual([[], []])
  await p.managed.stop()
})
