/** Bindings of Clusters that are being deleted, gone, made anew, or known to units by another name. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { config, inSync, isInSync, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { NAMESPACE } from './simfleet.ts'
import { TakeoverStory } from './takeoverstory.ts'

const STRATEGIES = ['ApplyOnce', 'Reconcile'] as const

/** A set of Cluster API's that is ours now, on two clusters. */
async function taken(name: string, strategy: string): Promise<TakeoverStory> {
  const story = await TakeoverStory.with(name, '1.13', ['c1', 'c2'])
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.appliedUpstream('crs1', sources('a'), strategy, ['c1', 'c2'])
  await story.takeOver('crs1')
  expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
  await story.pass(30)
  return story
}

const bindingWrites = (story: SetStory, from: number): string[] =>
  story.fleet.commits
    .slice(from)
    .filter((c) => c.resource.startsWith('clusterresourcesetbindings'))
    .map((c) => `${c.actor} ${c.verb} ${c.key}`)

describe('a Cluster that is gone', () => {
  it.each(STRATEGIES)(
    'has its binding deleted by Cluster API, once, and nobody makes it again (%s)',
    async (strategy) => {
      const story = await taken(`gone-${strategy}`, strategy)
      const from = story.fleet.commits.length
      await story.remove(story.clusterKind, 'c1')
      await story.pass(60)
      expect(story.binding('c1')).toBeUndefined()
      expect(bindingWrites(story, from)).toHaveLength(1)
      // What was applied there is still known, for the day on which it is back.
      expect(story.inventories.map((i) => i.spec.clusterRef.name).sort()).toEqual(['c1', 'c2'])
      story.manager.stop()
      story.manager = story.fleet.startController()
      await story.pass(60)
      expect(bindingWrites(story, from)).toHaveLength(1)
    },
  )

  it('keeps no set from being handed back', async () => {
    const story = await taken('gone-back', 'Reconcile')
    await story.remove(story.clusterKind, 'c1')
    await story.pass(20)
    await story.annotate('crs1', { [SET.managed]: null })
    expect(await story.until(() => story.condition('crs1', 'Paused').startsWith('False'), 60)).toBe(true)
    expect(story.inventories).toEqual([])
  })

  it.each(STRATEGIES)(
    'has its binding deleted by us where there is no Cluster API, and has it again when it is back (%s)',
    async (strategy) => {
      const story = await SetStory.open(`gone-own-${strategy}`, ['c1', 'c2'])
      await story.source('a', { 'a.yaml': yaml(config('x')) })
      await story.set('crs1', sources('a'), { strategy })
      expect(await story.until(() => story.isApplied('crs1', ['c1', 'c2']), 10)).toBe(true)
      const before = story.binding('c1')!.spec
      await story.remove(story.clusterKind, 'c1')
      expect(await story.until(() => story.binding('c1') === undefined, 2)).toBe(true)
      const from = story.fleet.commits.length
      await story.pass(60)
      expect(bindingWrites(story, from)).toEqual([])
      await story.cluster(story.clusterKind, 'c1')
      expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
      expect(story.binding('c1')!.spec).toEqual(before)
      expect(story.writes('c1', from)).toEqual([])
    },
  )

  it('leaves the binding of somebody else, of which nothing is written down', async () => {
    const story = await SetStory.open('gone-others', ['c1'])
    const kind = story.manager.hub.setBindings.kind!
    const body = {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name: 'elsewhere', namespace: NAMESPACE },
      spec: { clusterName: 'elsewhere', bindings: [{ clusterResourceSetName: 'other', resources: [] }] },
    }
    const made = await story.during(
      story.fleet.hub.create(kind, body as never, { purpose: 'user', manager: 'user' }),
    )
    expect(made.ok).toBe(true)
    await story.pass(60)
    expect(story.binding('elsewhere')).toBeDefined()
  })
})

describe('a cluster that its units know by another name than that of its object', () => {
  it('has its binding under the name of the object, where Cluster API looks for it', async () => {
    const story = await SetStory.open('named', ['c1'])
    await story.remove(story.clusterKind, 'c1')
    // Known first by a Secret of that name; the Cluster is the same one, and counts from then on.
    await story.labelled('edge', 'c1')
    await story.config('m', yaml(config('m')))
    await story.module('m', 'm')
    expect(await story.until(() => story.isReady('m'), 30)).toBe(true)
    await story.cluster(story.clusterKind, 'c1')
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '1', 30)).toBe(true)
    await story.pass(5)
    expect(story.inventories.filter((i) => i.spec.set).map((i) => i.spec.clusterRef.name)).toEqual(['edge'])
    expect(story.binding('edge')).toBeUndefined()
    expect(story.binding('c1')?.spec.clusterName).toBe('c1')
    expect(story.isApplied('crs1', ['c1'])).toBe(true)
  })
})

describe('an earlier cluster of a name', () => {
  it('leaves nothing that a deletion would wait for, or that anybody is asked to bring back', async () => {
    const story = await inSync('earlier-end', ['c1'], { [SET.deletionPolicy]: 'Delete' })
    await story.recreate('c1', () => {})
    await story.pass(5)
    expect(await story.until(() => isInSync(story), 120)).toBe(true)
    expect(story.fleet.inventories().map((i) => i.metadata.name)).toContainEqual(
      expect.stringMatching(/^m\.crs-crs1\.c1\../),
    )
    await story.editOn('c1', configMapKind, 'x', { metadata: { finalizers: ['example.com/wait'] } })
    await story.removeSet('crs1')
    await story.pass(30)
    expect(story.seeSet('crs1')).toBeDefined()
    expect(story.said('crs1', 'Ready')).not.toContain('ClusterUnreachable')
    await story.editOn('c1', configMapKind, 'x', { metadata: { finalizers: null } })
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
  })
})
