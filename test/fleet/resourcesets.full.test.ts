/** ClusterResourceSets as Cluster API serves them: ApplyOnce and Reconcile, on a hub with our own definitions. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { jsonEqual } from '../../packages/kube/src/object/index.ts'
import { resourceSetBindingKinds } from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

const CLUSTERS = ['c1', 'c2', 'c3']

const config = (name: string, v = '1') => manifest('ConfigMap', name, { data: { v } })

/** One set with one source of one object, applied on three clusters. */
async function applied(name: string, strategy: string): Promise<SetStory> {
  const story = await SetStory.open(name, CLUSTERS)
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.set('crs1', sources('a'), { strategy })
  expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 10)).toBe(true)
  return story
}

describe('ApplyOnce', () => {
  it('applies each object once, in the order of Cluster API, and writes what Cluster API writes', async () => {
    const story = await SetStory.open('sets-once', CLUSTERS)
    await story.source('a', {
      'b.yaml': yaml(manifest('ConfigMap', 'late')),
      'a.yaml': yaml(manifest('ConfigMap', 'x'), manifest('Namespace', 'n'), manifest('Secret', 's')),
    })
    await story.source('secret-b', { 'y.yaml': yaml(manifest('ServiceAccount', 'sa')) })
    const from = story.fleet.commits.length
    await story.set('crs1', sources('a', 'secret-b'))
    expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 10)).toBe(true)
    for (const c of CLUSTERS)
      expect(story.writes(c, from)).toEqual([
        'create namespaces n',
        'create secrets default/s',
        'create configmaps default/x',
        'create configmaps default/late',
        'create serviceaccounts default/sa',
      ])
    expect(story.binding('c1')).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'ClusterResourceSet', name: 'crs1' }] },
      spec: {
        clusterName: 'c1',
        bindings: [
          {
            clusterResourceSetName: 'crs1',
            resources: [
              { kind: 'ConfigMap', name: 'a', applied: true },
              { kind: 'Secret', name: 'secret-b', applied: true },
            ],
          },
        ],
      },
    })
  })

  it('nothing is written again: neither for a change of the source, nor for what a user has deleted', async () => {
    const story = await applied('sets-once-quiet', 'ApplyOnce')
    const from = story.fleet.commits.length
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('z')) })
    await story.deleteOn('c1', configMapKind, 'x')
    await story.pass(24 * 3600)
    expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual([[], [], []])
    expect(story.live('c1', 'configmaps', 'x')).toBeUndefined()
  })

  it('what exists keeps what it is', async () => {
    const story = await SetStory.open('sets-existing', CLUSTERS)
    await story.createOn('c1', configMapKind, config('x', 'theirs'))
    const before = story.live('c1', 'configmaps', 'x')?.metadata.resourceVersion
    await story.source('a', { 'a.yaml': yaml(config('x', 'ours')) })
    await story.set('crs1', sources('a'))
    expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 10)).toBe(true)
    expect(story.live('c1', 'configmaps', 'x')?.metadata.resourceVersion).toBe(before)
    expect(story.live('c2', 'configmaps', 'x')).toMatchObject({ data: { v: 'ours' } })
  })

  it('what is refused is tried again, and nothing else; what a user deletes meanwhile stays deleted', async () => {
    const story = await SetStory.open('sets-refused', ['c1'])
    const names = Array.from({ length: 10 }, (_, i) => `m${i}`)
    const posts = story.posts('c1', { name: 'm4', times: 5 })
    await story.source('a', { 'a.yaml': yaml(...names.map((n) => config(n))) })
    await story.set('crs1', sources('a'))
    expect(await story.until(() => posts.filter((n) => n === 'm4').length === 2, 10)).toBe(true)
    await story.deleteOn('c1', configMapKind, 'm7')
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 60)).toBe(true)
    expect(names.map((n) => posts.filter((p) => p === n).length)).toEqual([1, 1, 1, 1, 6, 1, 1, 1, 1, 1])
    expect(story.live('c1', 'configmaps', 'm7')).toBeUndefined()
  })

  it('another set of the same sources changes nothing; it takes what is there where it says so, once for each reapply', async () => {
    const story = await applied('sets-both', 'ApplyOnce')
    for (const c of CLUSTERS) await story.editOn(c, configMapKind, 'x', { data: { v: 'theirs' } })
    const versions = () => CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.resourceVersion)
    const before = versions()
    await story.set('crs2', sources('a'))
    expect(await story.until(() => story.isApplied('crs2', CLUSTERS), 10)).toBe(true)
    expect(versions()).toEqual(before)
    const take = { [SET.existing]: 'Take' }
    for (const annotations of [take, { ...take, [SET.reapply]: '1' }, { ...take, [SET.reapply]: '2' }]) {
      const from = story.fleet.commits.length
      await story.set('crs3', sources('a'), { annotations })
      await story.pass(60)
      expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual(
        CLUSTERS.map(() => ['apply configmaps default/x']),
      )
      for (const c of CLUSTERS) await story.editOn(c, configMapKind, 'x', { data: { v: 'theirs' } })
    }
  })

  it('each new value of reapply applies all once more, and takes what is there', async () => {
    const story = await applied('sets-reapply', 'ApplyOnce')
    await story.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })
    for (const [reapply, value] of [
      ['1', '1'],
      ['2', '2'],
    ] as const) {
      const from = story.fleet.commits.length
      await story.source('a', { 'a.yaml': yaml(config('x', value)) })
      await story.pass(5)
      await story.set('crs1', sources('a'), { annotations: { [SET.reapply]: reapply } })
      await story.pass(20)
      expect(story.writes('c1', from)).toEqual(['apply configmaps default/x'])
      expect(story.live('c1', 'configmaps', 'x')).toMatchObject({ data: { v: value } })
    }
  })
})

describe('Reconcile', () => {
  it('where the hash is another, all objects of that source are asserted: one changes, and what drifted is back', async () => {
    const story = await SetStory.open('sets-reconcile', ['c1'])
    const all = (v: string) => Array.from({ length: 50 }, (_, i) => config(`m${i}`, i === 0 ? v : '1'))
    await story.source('a', { 'a.yaml': yaml(...all('1')) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    await story.editOn('c1', configMapKind, 'm1', { data: { v: 'theirs' } })
    const from = story.fleet.commits.length
    await story.source('a', { 'renamed.yaml': yaml(...all('1')) })
    await story.pass(3600)
    expect(story.writes('c1', from)).toEqual([])
    await story.source('a', { 'a.yaml': yaml(...all('2')) })
    await story.pass(10)
    expect(story.writes('c1', from).sort()).toEqual([
      'apply configmaps default/m0',
      'apply configmaps default/m1',
    ])
    expect(story.live('c1', 'configmaps', 'm1')).toMatchObject({ data: { v: '1' } })
  })

  it('a field that leaves the manifest goes; what others have set stays', async () => {
    const story = await SetStory.open('sets-fields', ['c1'])
    const both = manifest('ConfigMap', 'x', { data: { ours: '1', also: '1' } })
    await story.source('a', { 'a.yaml': yaml(both) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    await story.editOn('c1', configMapKind, 'x', { data: { theirs: '1' } })
    await story.source('a', { 'a.yaml': yaml(manifest('ConfigMap', 'x', { data: { ours: '2' } })) })
    await story.pass(10)
    expect(story.live('c1', 'configmaps', 'x')).toMatchObject({ data: { ours: '2', theirs: '1' } })
    expect(story.live('c1', 'configmaps', 'x')).not.toHaveProperty('data.also')
  })

  it('write: MergePatch sends what Cluster API would', async () => {
    const story = await SetStory.open('sets-merge', ['c1'])
    const annotations = { [SET.write]: 'MergePatch' }
    await story.source('a', { 'a.yaml': yaml(config('x', '1')) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile', annotations })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    await story.editOn('c1', configMapKind, 'x', { data: { theirs: '1' } })
    await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
    await story.pass(10)
    expect(story.live('c1', 'configmaps', 'x')).toMatchObject({ data: { v: '2' } })
    expect(story.live('c1', 'configmaps', 'x')).not.toHaveProperty('data.theirs')
  })
})

describe('clusters', () => {
  it('a paused one gets nothing, in no mode; once it goes on it gets all', async () => {
    const story = await SetStory.open('sets-paused', CLUSTERS)
    await story.pause('c2', true)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    const from = story.fleet.commits.length
    await story.set('crs1', sources('a'))
    expect(await story.until(() => story.isApplied('crs1', ['c1', 'c3']), 10)).toBe(true)
    await story.pass(600)
    expect(story.writes('c2', from)).toEqual([])
    await story.pause('c2', false)
    expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 10)).toBe(true)
  })

  it('one that is another cluster now, unseen while nobody looked, gets all anew', async () => {
    const story = await applied('sets-recreated', 'ApplyOnce')
    story.manager.stop()
    const other = story.replace('c1')
    story.restart()
    expect(await story.until(() => other.local.get('configmaps', 'default', 'x') !== undefined, 60)).toBe(
      true,
    )
  })

  it('one whose label comes late is reached within a second, whatever other sets of the namespace say', async () => {
    const story = await SetStory.open('sets-empty', CLUSTERS)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('empty', sources('a'), { selector: { matchLabels: { env: 'nowhere' } } })
    await story.set('crs1', sources('a'), { selector: { matchLabels: { late: 'yes' } } })
    await story.pass(10)
    await story.label('c2', { env: 'prod', late: 'yes' })
    expect(await story.until(() => story.live('c2', 'configmaps', 'x') !== undefined, 1)).toBe(true)
  })
})

describe('bindings', () => {
  it('what others erase is back within two seconds, with hash and time, and nothing is applied for it', async () => {
    const story = await applied('sets-erased', 'ApplyOnce')
    const before = story.binding('c1')?.spec
    const from = story.fleet.commits.length
    await story.remove(resourceSetBindingKinds[0]!, 'c1')
    expect(await story.until(() => jsonEqual(story.binding('c1')?.spec, before), 2)).toBe(true)
    expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual([[], [], []])
  })

  it('ten sets at once on one cluster: ten right entries within two seconds', async () => {
    const story = await SetStory.open('sets-ten', ['c1'])
    const names = Array.from({ length: 10 }, (_, i) => `crs${i}`)
    for (const n of names) await story.source(n, { 'a.yaml': yaml(config(n)) })
    await story.pass(5)
    for (const n of names) await story.set(n, sources(n))
    expect(await story.until(() => names.every((n) => story.isApplied(n, ['c1'])), 2)).toBe(true)
  })

  it('a deleted set leaves no entry anywhere, its objects and its sources stay; made again, it is applied as new', async () => {
    const story = await applied('sets-deleted', 'ApplyOnce')
    await story.label('c3', { env: 'test' })
    await story.pass(2)
    const from = story.fleet.commits.length
    await story.removeSet('crs1')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 10)).toBe(true)
    await story.pass(60)
    expect(CLUSTERS.map((c) => story.binding(c))).toEqual([undefined, undefined, undefined])
    expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual([[], [], []])
    expect(story.inventories).toEqual([])
    expect(story.fleet.stored('configmaps')).toContain('a')
    await story.deleteOn('c1', configMapKind, 'x')
    await story.set('crs1', sources('a'))
    expect(await story.until(() => story.live('c1', 'configmaps', 'x') !== undefined, 10)).toBe(true)
  })
})
