/** What is said of a ClusterResourceSet: over all its sources and all its clusters. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../src/api/kinds/foreign.ts'
import { SET_SECRET_TYPE } from '../../src/api/kinds/resourceset.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

const CLUSTERS = ['c1', 'c2', 'c3']
const config = (name: string) => manifest('ConfigMap', name, { data: { v: '1' } })

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
    expect(story.said('crs1')).toContain('exists already, and lockstep.dev/existing is Fail')
  })
})

describe('settings', () => {
  it('one that is bad is said, and what was valid last stays in force', async () => {
    const story = await SetStory.open('sets-settings', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    await story.set('crs1', sources('a'), {
      ...{ strategy: 'Reconcile', annotations: { 'lockstep.dev/interval': '10' } },
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
