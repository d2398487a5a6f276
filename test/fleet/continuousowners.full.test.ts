/** Objects that a ClusterResourceSet that is Continuous finds on a cluster: somebody's, or another set's. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { config, continuous, convergedOf, isInSync, moduleOf, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'

const CLUSTERS = ['c1', 'c2']
const unitOf = (story: SetStory, cluster: string, name: string) =>
  story.live(cluster, 'configmaps', name)?.metadata.labels?.[UNIT_LABEL]

/** Two sets that name the same source, of which the first has delivered it. */
async function two(name: string, strategy = 'Continuous'): Promise<SetStory> {
  const story = await SetStory.open(name, CLUSTERS)
  await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
  await story.set('crs1', sources('a'), { strategy })
  expect(await story.until(() => story.said('crs1', 'Ready').startsWith('True/'), 60)).toBe(true)
  await story.pass(10)
  return story
}

/** Of the objects that the sets deliver. */
const writesTo = (story: SetStory, cluster: string, from: number) =>
  story.writes(cluster, from).filter((w) => w.includes('configmaps default/'))

describe('two sets that name the same objects', () => {
  it('the second says whose they are and what to do, and writes nothing', async () => {
    const story = await two('owned')
    const from = story.fleet.commits.length
    await story.set('crs2', sources('a'), continuous({ [SET.maxUnavailable]: '100%' }))
    const says =
      'OwnedByAnother: ConfigMap default/x on 2 clusters (c1, c2) belongs to ClusterResourceSet platform/crs1; delete it, or set lockstep.dev/take-over-from: crs1'
    expect(await story.until(() => convergedOf(story, 'crs2').includes(says), 60)).toBe(true)
    expect(convergedOf(story, 'crs2')).toMatch(/^False\/Waiting: /)
    await story.pass(600)
    for (const c of CLUSTERS) expect(writesTo(story, c, from)).toEqual([])
    expect(isInSync(story)).toBe(true)
  })

  it('with take-over-from they become those of the second: one write an object, the content stays; the first says so', async () => {
    const story = await two('inherited')
    const uids = CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)
    const from = story.fleet.commits.length
    const settings = { [SET.takeOverFrom]: 'crs1', [SET.maxUnavailable]: '100%' }
    await story.set('crs2', sources('a'), continuous(settings))
    expect(await story.until(() => isInSync(story, 'crs2'), 60)).toBe(true)
    for (const c of CLUSTERS) {
      expect(writesTo(story, c, from)).toHaveLength(2)
      expect(unitOf(story, c, 'x')).toBe('m.platform.crs-crs2')
      expect(valueOn(story, c, 'x')).toBe('1')
    }
    expect(CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)).toEqual(uids)
    // The first one has the objects too, and is not held up by that.
    await story.pass(600)
    expect(isInSync(story)).toBe(true)
    const given = moduleOf(story)?.status?.conditions?.find((x) => x.type === 'HandedOver')
    expect(given?.message).toBe(
      '2 objects on c1 are owned by crs-crs2 (its spec.apply.takeOverFrom); 2 objects on c2 are owned by crs-crs2 (its spec.apply.takeOverFrom)',
    )
    for (const c of CLUSTERS) expect(writesTo(story, c, from)).toHaveLength(2)
    await story.removeSet('crs1')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
    expect(CLUSTERS.map((c) => valueOn(story, c, 'x'))).toEqual(['1', '1'])
    expect(isInSync(story, 'crs2')).toBe(true)
  })

  it('also from one that is Reconcile', async () => {
    const story = await two('inherited-reconcile', 'Reconcile')
    await story.set('crs2', sources('a'), continuous({ [SET.maxUnavailable]: '100%' }))
    const says =
      'ConfigMap default/x belongs to ClusterResourceSet platform/crs1; delete it, or set lockstep.dev/take-over-from: crs1'
    expect(await story.until(() => convergedOf(story, 'crs2').includes(says), 60)).toBe(true)
    await story.set('crs2', sources('a'), continuous({ [SET.takeOverFrom]: 'crs1' }))
    expect(await story.until(() => isInSync(story, 'crs2'), 60)).toBe(true)
  })

  it('of an object of a Module no set is named', async () => {
    const story = await SetStory.open('owned-module', ['c1'])
    await story.config('m-1', yaml(config('x')))
    await story.module('m', 'm-1')
    expect(await story.until(() => story.isReady('m'), 30)).toBe(true)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous())
    const says = 'ConfigMap default/x on c1 belongs to Module platform/m; remove it from one of the two'
    expect(await story.until(() => convergedOf(story).includes(says), 30)).toBe(true)
  })
})

describe('objects that are there before the first write', () => {
  const found = async (name: string, annotations: Readonly<Record<string, string>>) => {
    const story = await SetStory.open(name, ['c1'])
    await story.createOn('c1', configMapKind, config('x', 'theirs') as never)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous(annotations))
    return story
  }

  it('are taken', async () => {
    const story = await found('existing-take', {})
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
    expect(valueOn(story, 'c1', 'x')).toBe('1')
  })

  it('existing: Fail leaves them, and says what to do', async () => {
    const story = await found('existing-fail', { [SET.existing]: 'Fail' })
    const says = 'ConfigMap default/x exists, and lockstep.dev/existing is Fail; delete it, or set Take'
    expect(await story.until(() => convergedOf(story).includes(says), 30)).toBe(true)
    await story.pass(60)
    expect(valueOn(story, 'c1', 'x')).toBe('theirs')
    await story.set('crs1', sources('a'), continuous({ [SET.existing]: 'Take' }))
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
  })

  it('existing: Keep is refused: what is delivered is looked after', async () => {
    const story = await found('existing-keep', { [SET.existing]: 'Keep' })
    const says =
      'False/InvalidSetting: lockstep.dev/existing: "Keep": Continuous manages every object that it delivers; write Take or Fail'
    expect(await story.until(() => story.said('crs1', 'Ready') === says, 10)).toBe(true)
    expect(moduleOf(story)).toBeUndefined()
    expect(valueOn(story, 'c1', 'x')).toBe('theirs')
  })

  it('reapply takes them, and each new value has all verified once more', async () => {
    const story = await found('reapply', { [SET.existing]: 'Fail', [SET.reapply]: '1' })
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
    expect(valueOn(story, 'c1', 'x')).toBe('1')
    const attempt = moduleOf(story)?.spec.attempt
    await story.set('crs1', sources('a'), continuous({ [SET.existing]: 'Fail', [SET.reapply]: '2' }))
    const isAsked = () => moduleOf(story)?.spec.attempt !== attempt
    expect(await story.until(isAsked, 10)).toBe(true)
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
  })
})
