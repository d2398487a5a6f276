/** What is said of a ClusterResourceSet while something has just changed, and what a change of its settings begins. */
import { expect, it } from 'vitest'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { config, isInSync, valueOn } from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

const MODES = ['ApplyOnce', 'Reconcile', 'Continuous']

const isWell = (story: SetStory): boolean => story.said('crs1', 'Ready').startsWith('True/')

it.each(MODES)('%s: a source that was missing is not said to be applied before it is', async (strategy) => {
  const story = await SetStory.open(`set-late-source-${strategy}`, ['c1'])
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.set('crs1', sources('a', 'b'), { strategy })
  const isOfB = (): boolean => story.said('crs1').startsWith('False/ResourceNotFound')
  expect(await story.until(() => isOfB() && valueOn(story, 'c1', 'x') === '1', 30)).toBe(true)
  await story.pass(60)
  await story.source('b', { 'b.yaml': yaml(config('y')) })
  const isSaid = () => isWell(story) || story.said('crs1').startsWith('True/')
  expect(await story.until(isSaid, 30)).toBe(true)
  expect(valueOn(story, 'c1', 'y')).toBe('1')
  if (strategy === 'Continuous') expect(await story.until(() => isInSync(story), 30)).toBe(true)
})

it.each(MODES)('%s: nor is one that comes into spec.resources', async (strategy) => {
  const story = await SetStory.open(`set-more-sources-${strategy}`, ['c1'])
  for (const [name, object] of [
    ['a', 'x'],
    ['b', 'y'],
  ] as const)
    await story.source(name, { 'a.yaml': yaml(config(object)) })
  await story.set('crs1', sources('a'), { strategy })
  expect(await story.until(() => isWell(story), 30)).toBe(true)
  await story.pass(60)
  await story.set('crs1', sources('a', 'b'), { strategy })
  const { generation } = story.seeSet('crs1')!.metadata
  const isSaid = () => isWell(story) && story.seeSet('crs1')!.status!.observedGeneration === generation
  expect(await story.until(isSaid, 30)).toBe(true)
  expect(valueOn(story, 'c1', 'y')).toBe('1')
})

const job = (image: string) => ({
  ...manifest('Job', 'init', {
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image }] } } },
  }),
  apiVersion: 'batch/v1',
})

it('Reconcile: what cannot change is made anew as soon as replace-immutable says so, without another source', async () => {
  const story = await SetStory.open('set-replaced-later', ['c1'])
  await story.source('a', { 'a.yaml': yaml(job('one')) })
  await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
  expect(await story.until(() => isWell(story), 30)).toBe(true)
  await story.source('a', { 'a.yaml': yaml(job('two')) })
  expect(await story.until(() => story.said('crs1').includes('is immutable; set'), 30)).toBe(true)
  await story.pass(600)
  const from = story.fleet.commits.length
  await story.set('crs1', sources('a'), {
    strategy: 'Reconcile',
    annotations: { [SET.replaceImmutable]: 'true' },
  })
  expect(await story.until(() => isWell(story), 10)).toBe(true)
  await story.pass(600)
  expect(story.writes('c1', from).filter((w) => w.includes(' jobs'))).toEqual([
    expect.stringMatching(/^delete /),
    expect.stringMatching(/^create /),
  ])
})
