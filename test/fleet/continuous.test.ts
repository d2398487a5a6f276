/** ClusterResourceSets that are Continuous: delivered by a Module of their own, on a hub with our own definitions. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { CONTINUOUS, config, inSync as inSyncOn, isInSync, moduleOf, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { NAMESPACE } from './simfleet.ts'

const CLUSTERS = ['c1', 'c2', 'c3']

const inSync = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
  inSyncOn(name, CLUSTERS, annotations)

describe('Continuous', () => {
  it('delivers through a Module of the set, and says of each cluster what is true', async () => {
    const story = await inSync('continuous')
    expect(moduleOf(story)?.metadata.ownerReferences).toMatchObject([
      { kind: 'ClusterResourceSet', name: 'crs1', controller: true },
    ])
    expect(story.said('crs1')).toBe('True/Applied: applied on 3 of 3 clusters')
    expect(story.said('crs1', 'lockstep.dev/Converged')).toBe('True/InSync: in sync on 3 of 3 clusters')
    for (const c of CLUSTERS) {
      expect(valueOn(story, c, 'x')).toBe('1')
      expect(story.entry(c, 'crs1')).toEqual(['ConfigMap/a applied'])
    }
  })

  it('repairs what others change or delete, at once', async () => {
    const story = await inSync('continuous-drift')
    await story.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })
    await story.deleteOn('c2', configMapKind, 'y')
    await story.pass(1)
    expect(valueOn(story, 'c1', 'x')).toBe('1')
    expect(valueOn(story, 'c2', 'y')).toBe('1')
  })

  it('what others add is left to them, without a request', async () => {
    const story = await inSync('continuous-extra')
    await story.editOn('c1', configMapKind, 'x', { data: { more: 'theirs' } })
    const from = story.fleet.commits.length
    await story.pass(1800)
    expect(story.writes('c1', from)).toEqual([])
  })

  it('a changed source reaches all clusters, as one revision', async () => {
    const story = await inSync('continuous-change', { [SET.maxUnavailable]: '100%' })
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y', '2')) })
    expect(await story.until(() => CLUSTERS.every((c) => valueOn(story, c, 'y') === '2'), 30)).toBe(true)
    expect(await story.until(() => isInSync(story), 10)).toBe(true)
    expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 5)).toBe(true)
  })

  it('is idle when all is well: no write of any kind', async () => {
    const story = await inSync('continuous-idle')
    await story.pass(60)
    const from = story.fleet.commits.length
    await story.pass(3600)
    const written = story.fleet.commits.slice(from).filter((c) => c.resource !== 'leases.coordination.k8s.io')
    expect(written.map((c) => `${c.cluster} ${c.verb} ${c.resource} ${c.key}`)).toEqual([])
  })

  it('somebody who edits its Module is put right', async () => {
    const story = await inSync('continuous-edited')
    const module = moduleOf(story)!
    const patch = { spec: { apply: { drift: 'Ignore' } } }
    await story.during(
      story.fleet.hub.patch(moduleKind, module.metadata, patch as never, {
        purpose: 'user',
        manager: 'user',
        precondition: 'any',
      }),
    )
    await story.pass(2)
    expect(moduleOf(story)?.spec.apply.drift).toBe('Revert')
  })
})

describe('objects that leave a source', () => {
  it('stay by default, and are looked after no more', async () => {
    const story = await inSync('continuous-kept')
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.pass(30)
    expect(valueOn(story, 'c1', 'y')).toBe('1')
    await story.deleteOn('c1', configMapKind, 'y')
    await story.pass(30)
    expect(valueOn(story, 'c1', 'y')).toBeUndefined()
    expect(isInSync(story)).toBe(true)
  })

  it('are deleted where the set asks for that', async () => {
    const story = await inSync('continuous-prune', { [SET.prune]: 'true' })
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    expect(await story.until(() => CLUSTERS.every((c) => valueOn(story, c, 'y') === undefined), 30)).toBe(
      true,
    )
    expect(valueOn(story, 'c1', 'x')).toBe('1')
  })

  it('a source that empties, or goes, deletes nothing', async () => {
    const story = await inSync('continuous-empty', { [SET.prune]: 'true' })
    await story.source('a', { 'a.yaml': '# nothing' })
    expect(await story.until(() => story.said('crs1', 'Ready').includes('EmptyRender'), 10)).toBe(true)
    expect(story.said('crs1', 'Ready')).toBe(
      'False/EmptyRender: spec.resources[0]: ConfigMap platform/a has no objects and lockstep.dev/allow-empty is not "true"; the deployed objects stay',
    )
    await story.removeSource('a')
    expect(await story.until(() => story.said('crs1').startsWith('False/ResourceNotFound'), 10)).toBe(true)
    await story.pass(60)
    expect(CLUSTERS.map((c) => valueOn(story, c, 'y'))).toEqual(['1', '1', '1'])
  })

  it('one of several sources that empties deletes nothing either, and is named; all is kept as it is until it is mended', async () => {
    const story = await SetStory.open('continuous-emptied', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    const annotations = { [SET.prune]: 'true' }
    await story.set('crs1', sources('a', 'b'), { ...CONTINUOUS, annotations })
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
    await story.source('b', { 'b.yaml': '# oops' })
    await story.pass(60)
    expect(valueOn(story, 'c1', 'z')).toBe('1')
    const kept =
      'False/EmptyRender: spec.resources[1]: ConfigMap platform/b has no objects and lockstep.dev/allow-empty is not "true"; the deployed objects stay'
    expect(story.said('crs1', 'Ready')).toBe(kept)
    await story.deleteOn('c1', configMapKind, 'z')
    expect(await story.until(() => valueOn(story, 'c1', 'z') === '1', 60)).toBe(true)
    // Who means it says so, or takes the source out.
    await story.set('crs1', sources('a', 'b'), {
      annotations: { ...annotations, [SET.allowEmpty]: 'true' },
      ...CONTINUOUS,
    })
    expect(await story.until(() => valueOn(story, 'c1', 'z') === undefined, 30)).toBe(true)
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
  })

  it('one that was empty from the beginning is said, and keeps no other one from being delivered', async () => {
    const story = await SetStory.open('continuous-never', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.source('b', { 'b.yaml': '# to come' })
    await story.set('crs1', sources('a', 'b'), CONTINUOUS)
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '1', 30)).toBe(true)
    expect(await story.until(() => story.said('crs1', 'Ready').startsWith('False/EmptyRender'), 10)).toBe(
      true,
    )
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    expect(await story.until(() => isInSync(story) && valueOn(story, 'c1', 'z') === '1', 30)).toBe(true)
  })

  it('those of a source that the set names no more are deleted', async () => {
    const story = await SetStory.open('continuous-ref', CLUSTERS)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.source('secret-b', { 'b.yaml': yaml(config('z')) })
    const annotations = { [SET.prune]: 'true' }
    await story.set('crs1', sources('a', 'secret-b'), { ...CONTINUOUS, annotations })
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
    expect(valueOn(story, 'c3', 'z')).toBe('1')
    await story.set('crs1', sources('a'), { ...CONTINUOUS, annotations })
    expect(await story.until(() => CLUSTERS.every((c) => valueOn(story, c, 'z') === undefined), 30)).toBe(
      true,
    )
  })
})

describe('a source that cannot be read', () => {
  it('and was never delivered keeps no other one from being so; once it can be it is', async () => {
    const story = await SetStory.open('continuous-lacking', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a', 'b'), CONTINUOUS)
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '1', 10)).toBe(true)
    expect(story.said('crs1')).toBe('False/ResourceNotFound: ConfigMap platform/b (spec.resources[1])')
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    expect(await story.until(() => valueOn(story, 'c1', 'z') === '1', 3)).toBe(true)
    expect(await story.until(() => isInSync(story), 10)).toBe(true)
  })

  it('and was delivered keeps all as it is until it can', async () => {
    const story = await inSync('continuous-lost', { [SET.prune]: 'true' })
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    await story.set('crs1', sources('a', 'b'), { ...CONTINUOUS, annotations: { [SET.prune]: 'true' } })
    expect(await story.until(() => valueOn(story, 'c1', 'z') === '1', 30)).toBe(true)
    await story.removeSource('b')
    await story.pass(60)
    expect(valueOn(story, 'c1', 'z')).toBe('1')
    expect(story.said('crs1')).toContain('ResourceNotFound')
  })
})

describe('sources in their order', () => {
  it('the second waits until all of the first is healthy', async () => {
    const story = await SetStory.open('continuous-listed', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    await story.set('crs1', sources('a', 'b'), { ...CONTINUOUS, annotations: { [SET.ordering]: 'Listed' } })
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
    const creates = story.fleet.commits.filter((c) => c.cluster === 'c1' && /default\/(x|z)$/.test(c.key))
    expect(creates.map((c) => c.key)).toEqual(['default/x', 'default/z'])
    expect(story.live('c1', 'configmaps', 'z')?.metadata.annotations).toMatchObject({
      'lockstep.dev/step': '1',
    })
  })
})

describe('its end', () => {
  it('its objects stay, without our marks; its sources survive; nothing is left on the hub', async () => {
    const story = await inSync('continuous-deleted')
    await story.removeSet('crs1')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
    await story.pass(30)
    for (const c of CLUSTERS) {
      expect(valueOn(story, c, 'x')).toBe('1')
      expect(story.live(c, 'configmaps', 'x')?.metadata.labels?.[UNIT_LABEL]).toBeUndefined()
      expect(story.binding(c)).toBeUndefined()
    }
    expect(moduleOf(story)).toBeUndefined()
    expect([...story.manager.hub.inventories.store.all()]).toEqual([])
    const kept = story.fleet.hub.get(configMapKind, { namespace: NAMESPACE, name: 'a' }, { purpose: 'user' })
    expect((await story.during(kept)).ok).toBe(true)
  })

  it('its objects go with it where it says so', async () => {
    const story = await inSync('continuous-delete', { [SET.deletionPolicy]: 'Delete' })
    await story.removeSet('crs1')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
    expect(CLUSTERS.map((c) => valueOn(story, c, 'x'))).toEqual([undefined, undefined, undefined])
  })
})

describe('a change of mode', () => {
  it('deletes and makes anew nothing, in any direction', async () => {
    const story = await SetStory.open('continuous-modes', CLUSTERS)
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    await story.set('crs1', sources('a'), { strategy: 'ApplyOnce' })
    expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 10)).toBe(true)
    const uids = CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)
    for (const mode of ['Continuous', 'Reconcile', 'Continuous', 'ApplyOnce']) {
      await story.set('crs1', sources('a'), { strategy: 'ApplyOnce', annotations: { [SET.mode]: mode } })
      const isThere = () =>
        mode === 'Continuous'
          ? isInSync(story)
          : moduleOf(story) === undefined && story.said('crs1', 'Ready').startsWith('True/')
      expect(await story.until(isThere, 60), mode).toBe(true)
      await story.pass(5)
      expect(CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)).toEqual(uids)
      expect(story.isApplied('crs1', CLUSTERS)).toBe(true)
    }
  })
})
