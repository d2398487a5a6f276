import { describe, expect, it } from 'vitest'
import { deploymentKind } from '../../packages/kube/src/client/client.cases.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { HeldWatches } from './heldwatches.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const

/** A (a Deployment) and B (a ConfigMap) on A, delivered. */
async function pair(name: string): Promise<Story> {
  const story = await Story.begin(name, ['edge'], { delays: LIFELIKE })
  await story.config('a-1', deploymentManifest('a', 'a:1'))
  await story.config('b-1', configManifest('b', '1'))
  await story.module('a', 'a-1')
  await story.module('b', 'b-1', { dependsOn: ['a'] })
  expect(await story.until(() => story.isReady('a') && story.isReady('b'))).toBe(true)
  return story
}

const valueOfB = (story: Story) => story.live('edge', 'configmaps', 'b')?.data as { value?: string }

/** What was stored at the hub when a version of an Inventory was written. */
function inventoryAt(story: Story, resourceVersion: string): Inventory {
  const commit = story.fleet.commits.find(
    (c) => c.cluster === 'hub' && c.next?.metadata.resourceVersion === resourceVersion,
  )
  return commit!.next as unknown as Inventory
}

describe('a cache from before the last write to A says that A is healthy', () => {
  it('B stays closed until A was read as healthy after that write', async () => {
    const story = await pair('stale')
    const watches = new HeldWatches()
    const successor = watches.startController(story.fleet)
    await story.pass(10)
    // Two processes that see different things would fight: it hears nothing of the hub until it is alone.
    watches.hold('modules', 'inventories', 'remoteassemblages')
    const edge = story.fleet.clusters.get('edge')!
    const failure = { image: 'a:1', outcome: 'ImagePull' } as const
    edge.world.fail(failure)
    must(await story.during(edge.client.delete(deploymentKind, { namespace: 'default', name: 'a' }, USER)))
    const isRepairing = () => story.inventory('a', 'edge')?.status?.health === 'Progressing'
    expect(await story.until(isRepairing)).toBe(true)
    story.manager.stop()
    story.manager = successor
    watches.hold('inventories')
    expect(isRepairing()).toBe(false)
    const lastWrite = story.fleet.commits.length
    const from = watches.requests.length

    await story.config('b-2', configManifest('b', '2'))
    await story.module('b', 'b-2', { dependsOn: ['a'] })
    await story.pass(30)
    expect(story.inventory('a', 'edge')?.status?.health).toBe('Healthy')
    // It believed its cache as far as asking: the live read is what kept B closed.
    expect(watches.requests.slice(from)).toContain(
      `GET /apis/lockstep.dev/v1alpha1/namespaces/${NAMESPACE}/inventories/m.a.edge`,
    )
    expect(valueOfB(story)).toEqual({ value: '1' })

    watches.hold()
    await story.pass(10)
    expect(valueOfB(story)).toEqual({ value: '1' })
    edge.world.heal(failure)
    expect(await story.until(() => story.isReady('b') && valueOfB(story)?.value === '2')).toBe(true)
    const read = story.inventory('b', 'edge')!.spec.admitted!.evidence![0]!
    const seen = inventoryAt(story, read.resourceVersion)
    expect(seen).toMatchObject({ metadata: { name: 'm.a.edge' }, status: { health: 'Healthy' } })
    const readAt = story.fleet.commits.findIndex((c) => c.next === (seen as never))
    expect(readAt).toBeGreaterThan(lastWrite)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('old events of A that come after a new write to it open nothing', async () => {
    const story = await pair('late')
    const watches = new HeldWatches()
    story.manager.stop()
    story.manager = watches.startController(story.fleet)
    await story.pass(10)
    watches.hold('deployments')
    const edge = story.fleet.clusters.get('edge')!
    const failure = { image: 'a:2', outcome: 'ImagePull' } as const
    edge.world.fail(failure)
    // An event of a healthy A that is on its way while A is written.
    const label = { metadata: { labels: { looked: 'at' } } }
    must(
      await story.during(edge.client.patch(deploymentKind, { namespace: 'default', name: 'a' }, label, USER)),
    )
    await story.config('a-2', deploymentManifest('a', 'a:2'))
    await story.module('a', 'a-2')
    await story.config('b-2', configManifest('b', '2'))
    await story.module('b', 'b-2', { dependsOn: ['a'] })
    const image = () => JSON.stringify(story.live('edge', 'deployments.apps', 'a')?.spec)
    expect(await story.until(() => image().includes('a:2'))).toBe(true)
    await story.pass(20)
    expect(valueOfB(story)).toEqual({ value: '1' })
    watches.hold()
    await story.pass(20)
    expect(valueOfB(story)).toEqual({ value: '1' })
    expect(story.inventory('a', 'edge')?.status?.health).toBe('Progressing')
    edge.world.heal(failure)
    expect(await story.until(() => story.isReady('b') && valueOfB(story)?.value === '2')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
