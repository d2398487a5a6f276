/** A writer that is killed while it stores a bundle, before and after each of its requests. */
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../packages/kube/src/env/sim/seededrandom.ts'
import { digestOf, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { type Bundle, bundleOf } from '../../packages/lockstep/src/sources/intake/bundlesecrets.ts'
import { BundleStore } from '../../packages/lockstep/src/sources/intake/bundlestore.ts'
import { NAMESPACE, type SimFleet, simFleet } from './simfleet.ts'
import { Story } from './steps.ts'

const HOUR = 3600

export type Cut = readonly ['before' | 'after', number]

export const ALL_CUTS = [0, 1, 2, 3, 4].flatMap((n): Cut[] => [
  ['before', n],
  ['after', n],
])

/** Names of the Secrets of bundles that are there. */
export const shards = (fleet: SimFleet): string[] =>
  fleet.stored('secrets').filter((name) => name.startsWith('lockstep-bundle-'))

let made: Bundle | undefined

/** Random text does not pack. */
function large(): Bundle {
  const random = seededRandom('content')
  const objects = (): KubeObject[] =>
    Array.from(
      { length: 6 },
      (_, i): KubeObject => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `c${i}`, namespace: 'default' },
        data: { noise: Buffer.from(random.bytes(640_000)).toString('base64') },
      }),
    )
  made ??= bundleOf(objects(), false, digestOf)
  return made
}

export function cutCases(cuts: readonly Cut[]): void {
  describe('a bundle of 5 Secrets', () => {
    const during = async <T>(fleet: SimFleet, work: Promise<T>): Promise<T> => {
      let isDone = false
      void work.finally(() => {
        isDone = true
      })
      await fleet.env.clock.run(() => isDone)
      return work
    }
    it.each(cuts)(
      'whose writer is killed %s request %i: all or nothing is read; it is stored once',
      async (when, nth) => {
        const fleet = await simFleet(`cut ${when} ${nth}`, [])
        const bundle = large()
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
      await story.during(new BundleStore(story.fleet.hub).put(NAMESPACE, large()))
      story.fleet.env.net.wire('https://hub.test', undefined)
      expect(shards(story.fleet)).toHaveLength(4)
      await story.pass(2 * HOUR)
      expect(shards(story.fleet)).toEqual([])
    })
  })
}
