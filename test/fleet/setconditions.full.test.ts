/** What is said of a ClusterResourceSet: over all its sources and all its clusters. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { SET, SET_SECRET_TYPE } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

const CLUSTERS = ['c1', 'c2', 'c3']
const config = (name: string) => manifest('ConfigMap', name, { data: { v: '1' } })

/** Warnings that were told of a set, as `Reason: text`. */
const warnings = (story: SetStory): string[] =>
  story.fleet.commits.flatMap(({ cluster, resource, old, next }) =>
    cluster === 'hub' && resource.startsWith('events') && !old && next?.type === 'Warning'
      ? [`${next.reason}: ${next.note ?? next.message}`]
      : [],
  )

describe('one object twice', () => {
  const twice = (other: string) => ({
    'a.yaml': yaml(config('x'), config('x')),
    'b.yaml': yaml(manifest('ConfigMap', 'x', { data: { v: other } })),
  })

  it.each([
    ['ApplyOnce', '1', 'the first counts'],
    ['Reconcile', '2', 'the last counts'],
  ])(
    '%s: told with its places, once for what the sources say; all is applied',
    async (mode, value, counts) => {
      const story = await SetStory.open(`sets-twice-${mode}`, ['c1'])
      await story.source('a', twice('2'))
      await story.set('crs1', sources('a'), { strategy: mode })
      expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
      await story.pass(3600)
      expect(story.live('c1', 'configmaps', 'x')).toMatchObject({ data: { v: value } })
      const places = ['a.yaml document 1', 'a.yaml document 2', 'b.yaml document 1'].map(
        (p) => `ConfigMap platform/a key ${p}`,
      )
      const text = `DuplicateObject: ConfigMap default/x is in ${places.join(', and in ')}: ${counts}; leave one of them`
      expect(warnings(story)).toEqual([text])
      await story.source('a', twice('3'))
      await story.pass(10)
      expect(warnings(story)).toEqual([text, text])
    },
  )
})

describe('on a hub with our own definition', () => {
  it.each(['ApplyOnce', 'Reconcile', 'Continuous'])(
    '%s: what is not to be ours is let go: nothing is said of it or written, and it can be deleted; ours again, nothing is applied',
    async (strategy) => {
      const story = await SetStory.open(`sets-unmanaged-${strategy}`, CLUSTERS)
      await story.source('a', { 'a.yaml': yaml(config('x')) })
      await story.set('crs1', sources('a'), { strategy })
      expect(await story.until(() => story.said('crs1', 'Ready').startsWith('True'), 30)).toBe(true)
      await story.set('crs1', sources('a'), { strategy, annotations: { [SET.managed]: 'false' } })
      expect(await story.until(() => story.seeSet('crs1')?.status?.conditions?.length === 0, 30)).toBe(true)
      expect(await story.until(() => story.inventories.length === 0, 30)).toBe(true)
      const from = story.fleet.commits.length
      await story.source('a', { 'a.yaml': yaml(manifest('ConfigMap', 'x', { data: { v: '2' } })) })
      await story.pass(600)
      expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual([[], [], []])
      expect(story.seeSet('crs1')?.status?.conditions).toEqual([])
      expect(story.seeSet('crs1')?.metadata.annotations?.[SET.managed]).toBe('false')
      await story.source('a', { 'a.yaml': yaml(config('x')) })
      await story.set('crs1', sources('a'), { strategy, annotations: { [SET.managed]: 'true' } })
      expect(await story.until(() => story.said('crs1', 'Ready').startsWith('True'), 30)).toBe(true)
      expect(CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.data)).toEqual(
        CLUSTERS.map(() => ({ v: '1' })),
      )
      if (strategy !== 'Continuous') expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual([[], [], []])
      await story.set('crs1', sources('a'), { strategy, annotations: { [SET.managed]: 'false' } })
      await story.pass(30)
      await story.removeSet('crs1')
      expect(await story.until(() => story.seeSet('crs1') === undefined, 10)).toBe(true)
    },
  )
})

describe('sources', () => {
  it('a Secret of another type is refused by itself; put right, it is applied within two seconds', async () => {
    const story = await SetStory.open('sets-type', CLUSTERS)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.source('secret-b', { 'b.yaml': yaml(config('y')) }, 'Opaque')
    await story.set('crs1', sources('a', 'secret-b'))
    expect(await story.until(() => story.said('crs1').startsWith('False/WrongSecretType'), 10)).toBe(true)
    await story.pass(5)
    expect(story.said('crs1')).toContain('Secret type of resource secret-b is not supported')
    expect(story.said('crs1', 'Ready')).toMatch(/^False\/WrongSecretType/)
    expect(story.entry('c1', 'crs1')).toEqual(['ConfigMap/a applied'])
    // The type of a Secret cannot change.
    await story.removeSource('secret-b')
    await story.source('secret-b', { 'b.yaml': yaml(config('y')) }, SET_SECRET_TYPE)
    expect(await story.until(() => story.live('c3', 'configmaps', 'y') !== undefined, 2)).toBe(true)
    expect(
      await story.until(() => story.said('crs1') === 'True/Applied: applied on 3 of 3 clusters', 5),
    ).toBe(true)
    expect(story.said('crs1', 'Ready')).toBe('True/Applied: applied on 3 of 3 clusters')
  })

  it('one that is absent is named; there, it is applied within two seconds; gone again, nothing is deleted', async () => {
    const story = await SetStory.open('sets-absent', CLUSTERS)
    await story.set('crs1', sources('a'))
    const missing = 'False/ResourceNotFound: ConfigMap platform/a (spec.resources[0])'
    expect(await story.until(() => story.said('crs1') === missing, 10)).toBe(true)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    expect(await story.until(() => story.live('c2', 'configmaps', 'x') !== undefined, 2)).toBe(true)
    expect(await story.until(() => story.said('crs1').startsWith('True'), 5)).toBe(true)
    const from = story.fleet.commits.length
    await story.removeSource('a')
    expect(await story.until(() => story.said('crs1') === missing, 5)).toBe(true)
    await story.pass(3600)
    expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual([[], [], []])
  })

  it('what is no YAML is refused by its key and place, and harms nothing beside it', async () => {
    const story = await SetStory.open('sets-broken', ['c1'])
    await story.source('a', { 'x.json': '[{"kind":' })
    await story.source('b', { 'b.yaml': yaml(config('y')) })
    await story.set('crs1', sources('a', 'b'))
    expect(await story.until(() => story.live('c1', 'configmaps', 'y') !== undefined, 10)).toBe(true)
    expect(await story.until(() => story.said('crs1').startsWith('False/InvalidResource'), 5)).toBe(true)
    expect(story.said('crs1')).toContain('ConfigMap platform/a key x.json: JSON array ends at byte 9')
  })
})

describe('clusters', () => {
  it.each(['c1', 'c2', 'c3'])(
    '%s fails and the others do not: it is named, whoever comes last',
    async (bad) => {
      const story = await SetStory.open(`sets-fails-${bad}`, CLUSTERS)
      story.posts(bad, { name: 'x', times: Number.POSITIVE_INFINITY })
      await story.source('a', { 'a.yaml': yaml(config('x')) })
      await story.set('crs1', sources('a'))
      await story.pass(30)
      expect(story.said('crs1')).toMatch(
        new RegExp(`^False/NotApplied: applied on 2 of 3 clusters; NotApplied 1: ${bad} \\(ConfigMap a: .*x`),
      )
    },
  )

  it('an object that exists, where that is to fail', async () => {
    const story = await SetStory.open('sets-fail', ['c1'])
    await story.createOn('c1', configMapKind, config('x'))
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { annotations: { 'lockstep.dev/existing': 'Fail' } })
    await story.pass(10)
    expect(story.said('crs1')).toContain('exists, and lockstep.dev/existing is Fail')
  })
})

describe('settings', () => {
  it('one that is bad is said, and what was valid last stays in force', async () => {
    const story = await SetStory.open('sets-settings', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    await story.set('crs1', sources('a'), {
      strategy: 'Reconcile',
      annotations: { 'lockstep.dev/interval': '10' },
    })
    expect(await story.until(() => story.said('crs1', 'Ready').startsWith('False/InvalidSetting'), 5)).toBe(
      true,
    )
    expect(story.said('crs1', 'Ready')).toContain(
      'lockstep.dev/interval: "10": not a duration; write "10s" or "10m"',
    )
    await story.source('a', { 'a.yaml': yaml(config('y')) })
    expect(await story.until(() => story.live('c1', 'configmaps', 'y') !== undefined, 5)).toBe(true)
  })
})
