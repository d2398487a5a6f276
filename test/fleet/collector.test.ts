/** What nothing needs any more goes; what something needs never does. */
import { describe, expect, it } from 'vitest'
import { type ControllerRevision, controllerRevisionKind } from '../../src/api/kinds/foreign.ts'
import { startManager } from '../../src/controllers/manager.ts'
import { digestOf, type KubeObject } from '../../src/object/object.ts'
import { type Bundle, bundleOf } from '../../src/source/bundle.ts'
import { BundleStore } from '../../src/source/store.ts'
import { clientOf, must, NAMESPACE, type SimFleet, simFleet } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const HOUR = 3600

/** Names of the Secrets of bundles that are there. */
const shards = (fleet: SimFleet): string[] =>
  fleet.stored('secrets').filter((name) => name.startsWith('lockstep-bundle-'))

describe('collection', () => {
  it('keeps as many revisions as the module says, beside those in use; bundles go with them', async () => {
    const story = await Story.begin('history', ['edge'])
    for (let n = 0; n < 6; n++) {
      await story.config(`v${n}`, configManifest('c', `${n}`))
      await story.module('web', `v${n}`, { revisionHistoryLimit: 2 })
      await story.pass(3)
      expect(await story.until(() => story.isReady('web'))).toBe(true)
    }
    expect(story.fleet.stored('controllerrevisions.apps')).toHaveLength(6)
    await story.pass(0.9 * HOUR)
    expect(shards(story.fleet)).toHaveLength(6)
    await story.pass(1.1 * HOUR)
    // The published one, the one before it, and two more.
    expect(story.fleet.stored('controllerrevisions.apps')).toHaveLength(4)
    await story.pass(1.5 * HOUR)
    expect(shards(story.fleet)).toHaveLength(4)
    expect(story.fleet.oracles.violations).toEqual([])
    await story.deleteModule('web')
    await story.pass(2 * HOUR)
    expect(shards(story.fleet)).toEqual([])
  })

  it('content that comes back while its revision or bundle is about to go is kept, with two processes at work', {
    timeout: 120_000,
  }, async () => {
    const story = await Story.begin('comeback', ['edge'])
    const second = startManager(story.fleet.env, clientOf(story.fleet.env, 'hub', 'lockstep-controller'))
    const random = story.fleet.env.random.fork('people')
    const modules = Array.from({ length: 10 }, (_, i) => `m${i}`)
    for (const name of modules)
      for (let n = 0; n < 5; n++) await story.config(`${name}-${n}`, configManifest(name, `${n}`))
    const change = (name: string) =>
      story.module(name, `${name}-${Math.floor(random.next() * 5)}`, { revisionHistoryLimit: 0, targets: {} })
    for (const name of modules) await change(name)
    for (let pass = 0; pass < 30; pass++) {
      // Just before and after the collector looks.
      await story.pass(598 + random.next() * 2)
      for (const name of modules) {
        await change(name)
        await story.pass(random.next() * 0.4)
      }
    }
    await story.pass(10)
    expect(removals(story.fleet)).toBeGreaterThan(0)
    expect(story.fleet.oracles.violations).toEqual([])
    for (const name of modules) {
      const { bundle } = story.see(name).status ?? {}
      expect((await story.during(story.bundle(bundle!))).length).toBe(1)
    }
    second.stop()
  })

  it('1,000 interleavings of a bundle that is about to go with a process that stores it again: whoever refers to it finds it', {
    timeout: 240_000,
  }, async () => {
    const story = await Story.begin('interleaved', [])
    const { fleet } = story
    const random = fleet.env.random.fork('delays')
    const wait = (ms: number) =>
      new Promise<void>((resolve) => void fleet.env.clock.at(fleet.env.clock.steady() + ms, resolve))
    const publish = async (n: number): Promise<void> => {
      await wait(random.next() * 150)
      const stored = await new BundleStore(fleet.hub).put(NAMESPACE, small(n))
      // Whoever is told that it could not be stored tries again, and until then refers to nothing.
      if (stored.ok) must(await fleet.hub.create(controllerRevisionKind, revisionFor(n), WRITE))
    }
    const all = Array.from({ length: 10 }, (_, n) => n)
    let round: Promise<unknown> | undefined
    let isCollecting = false
    fleet.env.net.wire('https://hub.test', {
      async before(request) {
        await wait(random.next() * 30)
        // What the collector asks first, once something is due.
        const begins = /\/modules\?.*limit=500/.test(request.path) && !request.path.includes('watch')
        if (begins && isCollecting) round ??= Promise.all(all.map(publish))
        return undefined
      },
    })
    await story.during(Promise.all(all.map((n) => new BundleStore(fleet.hub).put(NAMESPACE, small(n)))))
    isCollecting = true
    for (let n = 0; n < 100; n++) {
      expect(await story.until(() => round !== undefined, 2 * HOUR)).toBe(true)
      await story.during(round!)
      await story.pass(5)
      const named = new Set(fleet.stored('controllerrevisions.apps'))
      for (const i of all.filter((i) => named.has(`web-${i}`))) {
        const found = await story.during(new BundleStore(fleet.hub).get(NAMESPACE, small(i).digest))
        expect(found.ok).toBe(true)
        const key = { namespace: NAMESPACE, name: `web-${i}` }
        must(await story.during(fleet.hub.delete(controllerRevisionKind, key, WRITE)))
      }
      round = undefined
    }
    expect(removals(fleet)).toBeGreaterThan(100)
    expect(fleet.oracles.violations).toEqual([])
  })
})

const WRITE = { why: 'user', manager: 'test', fence: 'any' } as const

const removals = (fleet: SimFleet): number =>
  fleet.commits.filter((c) => c.verb === 'delete' && c.key.includes('/lockstep-bundle-')).length

const small = (n: number): Bundle => {
  const metadata = { name: `c${n}`, namespace: 'default' }
  return bundleOf([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }], false, digestOf)
}

const revisionFor = (n: number): ControllerRevision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: `web-${n}`, namespace: NAMESPACE, labels: { 'lockstep.dev/module': 'm.web' } },
  revision: n,
  data: {
    kind: 'Module',
    module: 'web',
    revision: `v1:${n}`,
    bundle: small(n).digest,
    sourceRevision: '',
    spec: {},
    inputs: [],
  },
})

describe('a bundle of 5 Secrets', () => {
  /** Random text does not pack. */
  const large = (fleet: SimFleet): Bundle => {
    const random = fleet.env.random.fork('content')
    const objects = Array.from(
      { length: 6 },
      (_, i): KubeObject => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `c${i}`, namespace: 'default' },
        data: { noise: Buffer.from(random.bytes(700_000)).toString('base64') },
      }),
    )
    return bundleOf(objects, false, digestOf)
  }
  const during = async <T>(fleet: SimFleet, work: Promise<T>): Promise<T> => {
    let isDone = false
    void work.finally(() => {
      isDone = true
    })
    await fleet.env.clock.run(() => isDone)
    return work
  }
  const cuts = ['before', 'after'].flatMap((when) => [0, 1, 2, 3, 4].map((nth) => [when, nth] as const))

  it.each(cuts)(
    'whose writer is killed %s request %i: all or nothing is read; it is stored once',
    async (when, nth) => {
      const fleet = await simFleet(`cut ${when} ${nth}`, [])
      const bundle = large(fleet)
      let requests = 0
      const gone = { phase: 'receive', detail: 'the writer is gone' } as const
      fleet.env.net.wire('https://hub.test', {
        async before(request) {
          if (request.method !== 'POST') return undefined
          return requests++ > nth || (when === 'before' && requests > nth) ? gone : undefined
        },
        // The server has acted; the answer is lost.
        async after(request) {
          return request.method === 'POST' && requests > nth ? gone : undefined
        },
      })
      expect((await during(fleet, new BundleStore(fleet.hub).put(NAMESPACE, bundle))).ok).toBe(false)
      fleet.env.net.wire('https://hub.test', undefined)
      const isWhole = shards(fleet).length === 5
      const read = await during(fleet, new BundleStore(fleet.hub).get(NAMESPACE, bundle.digest))
      expect(read.ok).toBe(isWhole)
      if (!read.ok) expect(read.error.reason).toBe('BundleLost')
      const both = [new BundleStore(fleet.hub), new BundleStore(fleet.hub)]
      const done = await during(fleet, Promise.all(both.map((s) => s.put(NAMESPACE, bundle))))
      expect(done.map((d) => d.ok)).toEqual([true, true])
      expect(shards(fleet)).toHaveLength(5)
    },
  )

  it('of which a writer left four goes within two hours', async () => {
    const story = await Story.begin('leftovers', [])
    let requests = 0
    story.fleet.env.net.wire('https://hub.test', {
      async before(request) {
        const isLast = request.method === 'POST' && request.path.includes('/secrets') && ++requests > 4
        return isLast ? { phase: 'connect', detail: 'the writer is gone' } : undefined
      },
    })
    await story.during(new BundleStore(story.fleet.hub).put(NAMESPACE, large(story.fleet)))
    story.fleet.env.net.wire('https://hub.test', undefined)
    expect(shards(story.fleet)).toHaveLength(4)
    await story.pass(2 * HOUR)
    expect(shards(story.fleet)).toEqual([])
  })
})
