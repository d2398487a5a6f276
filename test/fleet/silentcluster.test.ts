/** A cluster without events that does not confirm that it is up: dependents ask it again, and not more often. */
import { describe, expect, it } from 'vitest'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import {
  type ExternalAssemblage,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/remoteassemblage/columns.ts'
import { MANAGED_BY_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { HeldWatches } from './heldwatches.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const KIND = remoteAssemblageKind as unknown as Kind<ExternalAssemblage>
const LIVENESS = '/api/v1/namespaces/kube-system'
/** c0 wants what depends on a unit of c1. */
const FAR = { dependsOn: [{ on: 'a', cluster: 'c1', release: 'Any' as const }] }

/** `a` is ready on c1; `prepare` wants nothing of it yet. From then on c1 sends no event for 61 seconds. */
async function silentStory(name: string, prepare: (story: Story) => Promise<void> = async () => {}) {
  const story = await Story.begin(name, ['c0', 'c1'])
  await story.config('a', configManifest('a', '1'))
  await story.config('b', configManifest('b', '1'))
  await story.module('a', 'a', { targets: { clusters: ['c1'] } })
  expect(await story.until(() => story.isReady('a'))).toBe(true)
  await prepare(story)
  story.manager.stop()
  const watches = new HeldWatches()
  story.manager = watches.startController(story.fleet)
  await story.pass(10)
  watches.hold('namespaces', 'configmaps')
  await story.pass(61)
  watches.forbid(`https://c1.test${LIVENESS}`)
  return { story, watches }
}

const isDelivered = (story: Story) => story.live('c0', 'configmaps', 'b') !== undefined

describe('what depends on a unit of a silent cluster that forbids to ask', () => {
  it('as a Module: reports it, asks each 10 s and no more, and continues with the answer', async () => {
    const { story, watches } = await silentStory('silent module')
    await story.module('b', 'b', { ...FAR, targets: { clusters: ['c0'] } })
    const isStale = () => story.blockers('b').join().includes('DependencyStale')
    expect(await story.until(isStale, 10)).toBe(true)
    expect(story.blockers('b')).toEqual([
      expect.stringMatching(
        /^DependencyStale: waiting for dependency a on c1: no event since 2026-01-01T00:\d\d:\d\dZ, get of kube-system is forbidden; last known: ready at /,
      ),
    ])
    await story.module('also', 'b', { ...FAR, targets: { clusters: ['c0'] } })
    await story.pass(5)
    const from = watches.requests.length
    await story.pass(50)
    const asked = watches.requests.slice(from)
    expect([asked.length <= 6, new Set(asked)]).toEqual([true, new Set([`GET ${LIVENESS}`])])
    watches.forbid()
    expect(await story.until(() => isDelivered(story), 12)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('continues with an event, too, and asks no more', async () => {
    const { story, watches } = await silentStory('silent event')
    await story.module('b', 'b', { ...FAR, targets: { clusters: ['c0'] } })
    const isStale = () => story.blockers('b').join().includes('DependencyStale')
    expect(await story.until(isStale, 10)).toBe(true)
    watches.hold('namespaces')
    expect(await story.until(() => isDelivered(story), 12)).toBe(true)
    const from = watches.requests.length
    await story.pass(20)
    const asked = watches.requests.slice(from).filter((r) => r === `GET ${LIVENESS}`)
    expect([asked, story.fleet.oracles.violations]).toEqual([[], []])
  })

  it('as an external record, whose Module depends on it no more: the same', async () => {
    let published: Partial<Record<'currentRevision' | 'bundle', string>> = {}
    const { story, watches } = await silentStory('silent record', async (s) => {
      await s.module('b', 'b', { ...FAR, rollout: { strategy: 'External' } })
      expect(await s.until(() => s.see('b').status?.bundle !== undefined)).toBe(true)
      published = s.see('b').status!
      // From then on the Module itself needs nothing of c1.
      await s.module('b', 'b', { rollout: { strategy: 'External' } })
      const isNewer = () => s.see('b').status?.currentRevision !== published.currentRevision
      expect(await s.until(isNewer)).toBe(true)
    })
    const { currentRevision, bundle } = published
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'RemoteAssemblage',
      metadata: { name: 'argo.c0', namespace: NAMESPACE, labels: { [MANAGED_BY_LABEL]: 'argo' } },
      spec: {
        clusterRef: { kind: 'Secret', name: 'c0' },
        syncs: [{ kind: 'AppGroup', name: 'b', revision: currentRevision, bundle }],
      },
    }
    must(await story.during(story.fleet.hub.apply(KIND, body as never, { ...USER, manager: 'argo' })))
    const key = { namespace: NAMESPACE, name: 'argo.c0' }
    const reasons = () =>
      story.manager.hub.foreign.store
        .get(key)
        ?.status?.syncs?.flatMap((s) => s.blockers ?? [])
        .map((b) => b.reason)
    expect(await story.until(() => reasons()?.join() === 'DependencyStale', 10)).toBe(true)
    await story.pass(5)
    const from = watches.requests.length
    await story.pass(50)
    expect(watches.requests.length - from).toBeLessThanOrEqual(6)
    watches.forbid()
    expect(await story.until(() => isDelivered(story), 12)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
