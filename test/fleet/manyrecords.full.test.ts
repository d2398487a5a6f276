/** Twenty modules of twenty processes write their records into one assemblage at once. */
import { expect, it } from 'vitest'
import { startInformer } from '../../packages/kube/src/cache/informer.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Connection } from '../../packages/kube/src/env/net.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { withoutManagers } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { remoteAssemblageKind } from '../../packages/lockstep/src/api/kinds/remoteassemblage/columns.ts'
import { writeAssignment } from '../../packages/lockstep/src/controllers/cache/assignments.ts'
import type { HubInformers } from '../../packages/lockstep/src/controllers/cache/hubcaches.ts'
import { KeyedMutex } from '../../packages/lockstep/src/controllers/runtime/keyedmutex.ts'
import { patience } from '../patience.ts'
import { must, NAMESPACE, type SimFleet, simFleet } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const MODULES = 20
const INTERLEAVINGS = process.env.LOCKSTEP_EVERY_WRITE === '1' ? 1000 : 40
/** Most milliseconds that a request, and its answer, are under way. */
const DELAY_MS = 40

/** A process with a cache of its own, whose requests take their time. */
async function writer(fleet: SimFleet, n: number) {
  const { env } = fleet
  const random = env.random.fork(`writer ${n}`)
  const inner = env.net.connect({ url: 'https://hub.test' }, 'operator')
  const connection: Connection = {
    async request(r) {
      await sleep(env.clock, random.next() * DELAY_MS)
      const answer = await inner.request(r)
      await sleep(env.clock, random.next() * DELAY_MS)
      return answer
    },
    close: () => inner.close(),
  }
  const client = createHttpClient(env, 'hub', connection, 'lockstep-controller')
  const assemblages = startInformer(env, client, { kind: remoteAssemblageKind, project: withoutManagers })
  const hub = { own: client, assemblages } as unknown as HubInformers
  const name = `m${n}`
  const module = { metadata: { name, namespace: NAMESPACE, uid: `uid-${n}` } } as Stored<Module>
  const record = { revision: `v1:${n}`, bundle: `v1:b${n}`, stage: 'all' }
  /** Until it is written: whoever loses looks again when there is something new. Says how it lost. */
  const write = async (cluster: string): Promise<string[]> => {
    const ref = { kind: 'Module' as const, namespace: NAMESPACE, name }
    const lost: string[] = []
    for (;;) {
      const seen = assemblages.store.get({ namespace: NAMESPACE, name: cluster })?.metadata.resourceVersion
      const done = await writeAssignment(
        hub,
        new KeyedMutex(32),
        ref,
        module,
        { kind: 'Secret', name: cluster },
        record,
      )
      if (done.ok) return lost
      lost.push(done.error.kind)
      await new Promise<void>((go) => {
        const isNew = () =>
          assemblages.store.get({ namespace: NAMESPACE, name: cluster })?.metadata.resourceVersion !== seen
        if (isNew()) return go()
        const stop = assemblages.store.subscribe(() => {
          if (!isNew()) return
          stop()
          go()
        })
      })
    }
  }
  return { write }
}

it(`all are there in the end, over ${INTERLEAVINGS} interleavings`, {
  timeout: patience(1_200_000),
}, async () => {
  const fleet = await simFleet('many records', [])
  const writers = await Promise.all(Array.from({ length: MODULES }, (_, n) => writer(fleet, n)))
  await fleet.env.clock.run(() => false, 1000)
  const orders = new Set<string>()
  const ways = new Set<string>()
  for (let i = 0; i < INTERLEAVINGS; i++) {
    const cluster = `c${i}`
    let lost: string[][] | undefined
    void Promise.all(writers.map((w) => w.write(cluster))).then((all) => {
      lost = all
    })
    expect(await fleet.env.clock.run(() => lost !== undefined, 600_000)).toBe('done')
    for (const kind of lost!.flat()) ways.add(kind)
    const asked = fleet.hub.get(remoteAssemblageKind, { namespace: NAMESPACE, name: cluster }, USER)
    let isThere = false
    void asked.then(() => {
      isThere = true
    })
    await fleet.env.clock.run(() => isThere)
    const { spec, metadata } = must(await asked)
    const syncs = spec.syncs ?? []
    orders.add(syncs.map((s) => s.name).join())
    expect(syncs.map((s) => `${s.name} ${s.revision} ${s.serial}`).sort()).toEqual(
      Array.from({ length: MODULES }, (_, n) => `m${n} v1:${n} 1`).sort(),
    )
    // Each owns its own record, and nothing of another one's.
    const owners = metadata.managedFields?.filter((f) => f.manager?.startsWith('lockstep-module-')) ?? []
    expect(owners).toHaveLength(MODULES)
  }
  // Losing is no failure: somebody else was faster.
  expect([...ways].sort()).toEqual(['AlreadyExists', 'FenceLost'])
  expect(orders.size).toBe(INTERLEAVINGS)
})

it('records of many clusters, by several modules: no more than 32 are under way at once', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `c${i}`)
  const story = await Story.begin('many at once', names)
  const { clock, net } = story.fleet.env
  let now = 0
  let most = 0
  net.wire('https://hub.test', {
    before: async ({ method, path }) => {
      if (method === 'GET' || !path.includes('/remoteassemblages') || path.includes('/status'))
        return undefined
      most = Math.max(most, ++now)
      await sleep(clock, 100)
      now--
      return undefined
    },
  })
  for (const m of ['a', 'b']) {
    await story.config(m, configManifest(m, '1'))
    await story.module(m, m, { rollout: { strategy: 'Replace', maxUnavailable: '100%' } })
  }
  expect(await story.until(() => story.isReady('a') && story.isReady('b'), 300)).toBe(true)
  expect(most).toBe(32)
})
