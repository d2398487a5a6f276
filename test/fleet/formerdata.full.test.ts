/** Handovers of a fleet whose data an earlier version has stored: without claims, `existed` and `on`. */
import { expect, it } from 'vitest'
import { dropClaims, dropLaterFields } from './formerdata.ts'
import { byRing, deletesOn, holdersOf, isGone, relabel, SHARED, shop, uidsOf } from './handoverstory.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = ['c1', 'c2', 'c3']

/** Another version starts on the data, and writes nothing to clusters. */
async function upgrade(story: Story): Promise<void> {
  story.manager.stop()
  await dropClaims(story)
  await dropLaterFields(story)
  const from = story.fleet.commits.length
  story.manager = story.fleet.startController()
  await story.pass(60)
  expect(CLUSTERS.flatMap((c) => story.writes(c, from))).toEqual([])
}

it('a label moves a cluster to another Module within a minute: the objects are kept (acceptance 1, 34)', async () => {
  const story = await Story.begin('former relabel', CLUSTERS)
  for (const cluster of CLUSTERS) await relabel(story, cluster, { ring: 'blue' })
  await story.config('v1', shop('1'))
  await story.config('v2', shop('2'))
  await story.module('shop-v1', 'v1', byRing('blue'))
  await story.module('shop-v2', 'v2', byRing('green'))
  expect(await story.until(() => story.isReady('shop-v1'))).toBe(true)
  const uids = uidsOf(story, 'c1')
  await upgrade(story)
  await relabel(story, 'c1', { ring: 'green' })
  const isMoved = (): boolean => holdersOf(story, 'c1').every((h) => h === 'm.platform.shop-v2')
  expect(await story.until(() => isMoved() && story.isReady('shop-v2'), 60)).toBe(true)
  expect(uidsOf(story, 'c1')).toEqual(uids)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('a rename on three clusters within a minute: the objects are kept (acceptance 4, 34)', async () => {
  const story = await Story.begin('former rename', CLUSTERS)
  await story.config('all', shop('1'))
  await story.module('hello', 'all')
  await story.config('other', configManifest('other', '1'))
  await story.module('waiting', 'other', { dependsOn: ['none'] })
  const isBlocked = (): boolean => story.blockers('waiting').length > 0
  expect(await story.until(() => story.isReady('hello') && isBlocked())).toBe(true)
  const uids = CLUSTERS.map((c) => uidsOf(story, c))
  await upgrade(story)
  const from = story.fleet.commits.length
  await story.module('hello2', 'all')
  await story.pass(5)
  await story.deleteModule('hello')
  expect(await story.until(() => isGone(story, 'hello') && story.isReady('hello2'), 60)).toBe(true)
  expect(CLUSTERS.map((c) => uidsOf(story, c))).toEqual(uids)
  const shared = new Set(
    SHARED.map(([, namespace, name]) => (namespace === '' ? name : `${namespace}/${name}`)),
  )
  const deleted = CLUSTERS.flatMap((c) => deletesOn(story, c, from).map((w) => w.split(' ')[2]!))
  expect(deleted.filter((name) => shared.has(name))).toEqual([])
  expect(story.fleet.oracles.violations).toEqual([])
})
