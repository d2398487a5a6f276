/** Events of a Module and of its units: each release has its own, and many drifts are few. */
import { describe, expect, it } from 'vitest'
import { configMapKind, eventKind, type KubernetesEvent } from '../../packages/kube/src/kinds/index.ts'
import type { Stored } from '../../packages/kube/src/object/index.ts'
import { TIER } from '../tier.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const READ = { purpose: 'user', namespace: NAMESPACE } as const
const OTHER = { purpose: 'user', manager: 'kubectl-edit', precondition: 'any' } as const

/** Events in the order of their time, of one kind of object. */
async function eventsOf(story: Story, kind: string): Promise<Stored<KubernetesEvent>[]> {
  const items: Stored<KubernetesEvent>[] = []
  must(await story.during(story.fleet.hub.list(eventKind, { ...READ, each: (e) => items.push(e) })))
  const time = (e: KubernetesEvent) => e.eventTime ?? ''
  return items.filter((e) => e.regarding?.kind === kind).sort((a, b) => (time(a) < time(b) ? -1 : 1))
}

describe('Events', () => {
  it('three releases in a minute, the first one again last: Published and Complete of each', async () => {
    const story = await Story.begin('events-releases', ['c0'])
    await story.config('x', configManifest('x', '1'))
    for (const release of ['1', '2', '1']) {
      await story.module('x', 'x', { release })
      expect(await story.until(() => story.isReady('x', release), 20)).toBe(true)
    }
    await story.pass(2)
    const said = (await eventsOf(story, 'Module')).map(
      (e) => `${e.reason} ${/release (\d)/.exec(e.note ?? '')?.[1]}`,
    )
    // A release of the same content may be published and complete in one status.
    expect(said.sort()).toEqual([
      'Complete 1',
      'Complete 1',
      'Complete 2',
      'Published 1',
      'Published 1',
      'Published 2',
    ])
  })

  it('a leader that ends after a status, before its Events: the next one writes them, and nothing twice', async () => {
    const story = await Story.begin('events-crash', ['c0'])
    const { net } = story.fleet.env
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x', { release: '1' })
    expect(await story.until(() => story.isReady('x', '1'), 20)).toBe(true)
    await story.pass(2)
    const isEvent = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path.includes('/events')
    net.wire('https://hub.test', {
      before: async (request) => (isEvent(request) ? { phase: 'connect', detail: 'gone' } : undefined),
    })
    await story.module('x', 'x', { release: '2' })
    expect(await story.until(() => story.isReady('x', '2'), 20)).toBe(true)
    const names = async () => (await eventsOf(story, 'Module')).map((e) => e.reason)
    expect((await names()).sort()).toEqual(['Complete', 'Published'])
    net.wire('https://hub.test', undefined)
    for (let i = 0; i < 2; i++) {
      story.restart()
      await story.pass(5)
      expect((await names()).sort()).toEqual(['Complete', 'Complete', 'Published', 'Published'])
    }
    const counted = (await eventsOf(story, 'Module')).filter((e) => e.series)
    expect(counted).toEqual([])
  })

  it.skipIf(TIER === 'short')('200 drifts in ten minutes are at most 27 Events of the unit', async () => {
    const story = await Story.begin('events-drifts', ['c0'])
    const names = Array.from({ length: 40 }, (_, i) => `x${i}`)
    await story.config('x', names.map((n) => configManifest(n, '1')).join('---\n'))
    await story.module('x', 'x')
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    const { client } = story.fleet.clusters.get('c0')!
    for (let i = 0; i < 200; i++) {
      const key = { namespace: 'default', name: names[i % names.length]! }
      const data = { value: null, [`k${i}`]: 'theirs' }
      must(await story.during(client.patch(configMapKind, key, { data }, OTHER)))
      await story.pass(3)
    }
    const told = (await eventsOf(story, 'Inventory')).filter((e) => e.reason === 'DriftReverted')
    expect(told.length).toBeLessThanOrEqual(27)
    // Each object once, as long as there were any left to tell of.
    expect(told.length).toBeGreaterThanOrEqual(25)
    expect(told.at(-1)?.note).toMatch(/\(\d+ Events suppressed before\)$/)
  })
})
