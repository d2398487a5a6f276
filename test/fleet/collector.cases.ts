/** Collection against those who use again what is about to go: as many interleavings as one has time for. */
import { describe, expect, it } from 'vitest'
import { type ControllerRevision, controllerRevisionKind } from '../../packages/kube/src/kinds/types.ts'
import { digestOf } from '../../packages/kube/src/object/index.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type Bundle, bundleOf } from '../../packages/lockstep/src/sources/intake/bundlesecrets.ts'
import { BundleStore } from '../../packages/lockstep/src/sources/intake/bundlestore.ts'
import { clientOf, must, NAMESPACE, type SimFleet } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const HOUR = 3600

/** `passes` of the collector over ten modules that change; `rounds` of ten publications each. */
export function collectorCases(passes: number, rounds: number): void {
  describe('collection while others work', () => {
    it('content that comes back while its revision or bundle is about to go is kept, with two processes at work', {
      timeout: 240_000,
    }, async () => {
      const story = await Story.begin('comeback', ['edge'])
      const second = startManager(story.fleet.env, clientOf(story.fleet.env, 'hub', 'lockstep-controller'))
      const random = story.fleet.env.random.fork('people')
      const modules = Array.from({ length: 10 }, (_, i) => `m${i}`)
      for (const name of modules)
        for (let n = 0; n < 5; n++) await story.config(`${name}-${n}`, configManifest(name, `${n}`))
      const change = (name: string) =>
        story.module(name, `${name}-${Math.floor(random.next() * 5)}`, {
          revisionHistoryLimit: 0,
          targets: {},
        })
      for (const name of modules) await change(name)
      for (let pass = 0; pass < passes; pass++) {
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

    it(`${rounds * 10} interleavings of a bundle that is about to go with a process that stores it again: whoever refers to it finds it`, {
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
      for (let n = 0; n < rounds; n++) {
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
      expect(removals(fleet)).toBeGreaterThan(rounds)
      expect(fleet.oracles.violations).toEqual([])
    })
  })
}

const WRITE = { purpose: 'user', manager: 'test', precondition: 'any' } as const

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
