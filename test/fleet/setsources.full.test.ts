/** Sources of a ClusterResourceSet are its user's: a deleted set leaves all that it has ever had, and is no owner of any. */
import { expect, it } from 'vitest'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { config, isInSync, valueOn } from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

const ownersOf = (story: SetStory, kind: 'configmaps' | 'secrets', name: string) =>
  story.fleet
    .objects(kind)
    .find((o) => o.metadata.name === name)
    ?.metadata.ownerReferences?.map((o) => o.name)

it.each(['ApplyOnce', 'Reconcile', 'Continuous'])(
  '%s: also one that it does not name any more; what asks to go with its owner stays its own',
  async (strategy) => {
    const story = await SetStory.open(`set-sources-${strategy}`, ['c1'])
    for (const n of ['a', 'secret-b', 'c']) await story.source(n, { 'a.yaml': yaml(config(`of-${n}`)) })
    await story.set('crs1', sources('a', 'secret-b', 'c'), { strategy })
    const isDone = () => (strategy === 'Continuous' ? isInSync(story) : story.isApplied('crs1', ['c1']))
    expect(await story.until(isDone, 60)).toBe(true)
    await story.set('crs1', sources('a'), { strategy })
    await story.annotateSource('c', { [SET.deleteWithOwner]: 'true' })
    await story.pass(60)
    expect(ownersOf(story, 'secrets', 'secret-b')).toEqual(['crs1'])
    await story.removeSet('crs1')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
    expect(ownersOf(story, 'configmaps', 'a') ?? []).toEqual([])
    expect(story.fleet.stored('configmaps')).toContain('a')
    expect(story.fleet.stored('secrets')).toContain('secret-b')
    expect(ownersOf(story, 'secrets', 'secret-b') ?? []).toEqual([])
    expect(ownersOf(story, 'configmaps', 'c')).toEqual(['crs1'])
  },
)

it.each(['ApplyOnce', 'Reconcile', 'Continuous'])(
  '%s: deleted in the foreground the set takes its sources along, which is what its user has asked for; objects stay',
  async (strategy) => {
    const story = await SetStory.open(`set-foreground-${strategy}`, ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { strategy })
    const isDone = () => (strategy === 'Continuous' ? isInSync(story) : story.isApplied('crs1', ['c1']))
    expect(await story.until(isDone, 60)).toBe(true)
    await story.removeSet('crs1', 'Foreground')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 120)).toBe(true)
    await story.pass(60)
    expect(valueOn(story, 'c1', 'x')).toBe('1')
    expect(story.binding('c1')).toBeUndefined()
    expect([...story.manager.hub.inventories.store.all()]).toEqual([])
    expect([...story.manager.hub.modules.store.all()]).toEqual([])
    expect(story.fleet.stored('configmaps')).not.toContain('a')
  },
)

it('a manifest without a name stops its own source in Reconcile, and no other one', async () => {
  const story = await SetStory.open('nameless', ['c1'])
  const nameless = { ...manifest('ConfigMap', ''), metadata: { generateName: 'g-', namespace: 'default' } }
  await story.source('a', { 'a.yaml': yaml(manifest('ConfigMap', 'x')) })
  await story.source('b', { 'b.yaml': yaml(nameless, manifest('ConfigMap', 'z')) })
  await story.set('crs1', sources('a', 'b'), { strategy: 'Reconcile' })
  expect(await story.until(() => story.live('c1', 'configmaps', 'x') !== undefined, 10)).toBe(true)
  await story.pass(10)
  expect(story.live('c1', 'configmaps', 'z')).toBeUndefined()
  expect(story.said('crs1')).toContain('False/InvalidResource: ConfigMap platform/b key b.yaml')
  await story.source('b', { 'b.yaml': yaml(manifest('ConfigMap', 'z')) })
  expect(await story.until(() => story.said('crs1').startsWith('True'), 10)).toBe(true)
  expect(story.isApplied('crs1', ['c1'])).toBe(true)
})

it('one that cannot be read has its owner as well, and moves with the set; one of another type is nobody’s', async () => {
  const story = await SetStory.open('owned-refused', ['c1'])
  await story.source('a', { 'a.yaml': '[{' })
  await story.source('secret-b', { 'b.yaml': yaml(config('z')) }, 'Opaque')
  await story.set('crs1', sources('a', 'secret-b'), { strategy: 'Reconcile' })
  expect(await story.until(() => ownersOf(story, 'configmaps', 'a')?.join() === 'crs1', 10)).toBe(true)
  await story.pass(10)
  expect(ownersOf(story, 'secrets', 'secret-b')).toBeUndefined()
})
