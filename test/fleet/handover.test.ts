/** Objects that change hands between Modules of a namespace: the same objects before and after, and no request deletes one. */
import { describe, expect, it } from 'vitest'
import {
  byRing,
  deletesOn,
  holdersOf,
  type Place,
  relabel,
  SHARED,
  shop,
  uidOf,
  uidsOf,
} from './handoverstory.ts'
import { configManifest, Story } from './steps.ts'

/** c1 in ring blue at shop-v1, with shop-v2 for ring green. */
async function rings(name: string): Promise<Story> {
  const story = await Story.begin(name, ['c1', 'c2', 'c3'])
  await relabel(story, 'c1', { ring: 'blue' })
  await story.config('v1', shop('1.0'))
  await story.config('v2', shop('2.0'))
  await story.module('shop-v1', 'v1', byRing('blue'))
  await story.module('shop-v2', 'v2', byRing('green'))
  expect(await story.until(() => story.isReady('shop-v1'))).toBe(true)
  return story
}

const writesTo = (story: Story, place: Place, from: number): number => {
  const [resource, namespace, name] = place
  const key = namespace === '' ? name : `${namespace}/${name}`
  return story.writes('c1', from).filter((w) => w.endsWith(` ${resource} ${key}`)).length
}

describe('a label moves a cluster between two Modules with the same objects', () => {
  it('there and back: all four are kept, each with one patch of its marks and one apply (acceptance 1)', async () => {
    const story = await rings('relabel')
    const before = uidsOf(story, 'c1')
    for (const [ring, module, version, old] of [
      ['green', 'shop-v2', '2.0', '1.0'],
      ['blue', 'shop-v1', '1.0', '2.0'],
    ] as const) {
      const from = story.fleet.commits.length
      await relabel(story, 'c1', { ring })
      const isMoved = () =>
        story.isReady(module) && uidOf(story, 'c1', ['configmaps', 'shop', `only-${old}`]) === undefined
      expect(await story.until(isMoved, 60)).toBe(true)
      expect(uidsOf(story, 'c1')).toEqual(before)
      expect(deletesOn(story, 'c1', from)).toEqual([`delete configmaps shop/only-${old}`])
      expect(holdersOf(story, 'c1')).toEqual(SHARED.map(() => `m.platform.${module}`))
      for (const place of SHARED) expect(writesTo(story, place, from), place.join(' ')).toBeLessThanOrEqual(2)
      const web = story.live('c1', 'deployments.apps', 'web', 'shop') as { spec?: object } | undefined
      expect(JSON.stringify(web?.spec)).toContain(`web:${version}`)
      expect(await story.until(() => story.inventories.length === 1, 60)).toBe(true)
    }
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

/** Two Modules of the same objects: `hello` on all clusters, `hello2` as its successor. */
const CLUSTERS = ['c1', 'c2', 'c3'] as const

describe('a rename on three clusters (acceptance 4)', () => {
  for (const [what, seconds] of [
    ['applied and deleted', 0],
    ['deleted after 10 minutes', 600],
  ] as const)
    it(what, async () => {
      const story = await Story.begin(`rename ${seconds}`, CLUSTERS)
      await story.config('all', shop('1.0'))
      await story.module('hello', 'all')
      expect(await story.until(() => story.isReady('hello'))).toBe(true)
      const before = CLUSTERS.map((c) => uidsOf(story, c))
      const from = story.fleet.commits.length
      await story.module('hello2', 'all')
      await story.pass(seconds)
      if (seconds > 0) {
        expect(story.see('hello2').status?.clusters?.blocked).toBe(3)
        expect(story.blockers('hello2')).toEqual([
          expect.stringMatching(
            /^OwnedByAnother: .* belongs to Module platform\/hello; delete Module hello, or list it in spec\.apply\.takeOverFrom$/,
          ),
        ])
        expect(story.see('hello2').status?.rollout?.phase).not.toBe('Halted')
      }
      await story.deleteModule('hello')
      const isDone = () => story.isReady('hello2') && story.inventories.length === 3
      expect(await story.until(isDone, 60)).toBe(true)
      expect(CLUSTERS.map((c) => uidsOf(story, c))).toEqual(before)
      expect(CLUSTERS.flatMap((c) => deletesOn(story, c, from))).toEqual([])
      expect(story.fleet.oracles.violations).toEqual([])
    })

  it('with a dependent, whose dependency moves to the new name', async () => {
    const story = await Story.begin('rename dependent', CLUSTERS)
    await story.config('all', shop('1.0'))
    await story.config('app', configManifest('app', '1'))
    await story.module('hello', 'all')
    await story.module('app', 'app', { dependsOn: ['hello'] })
    expect(await story.until(() => story.isReady('hello') && story.isReady('app'))).toBe(true)
    const before = CLUSTERS.map((c) => uidsOf(story, c))
    const from = story.fleet.commits.length
    await story.module('hello2', 'all')
    await story.deleteModule('hello')
    // The dependent holds the removal of the old name, and not the new one.
    expect(await story.until(() => story.isReady('hello2'), 60)).toBe(true)
    expect(story.blockers('hello').join()).toContain('DependentsRemain')
    await story.module('app', 'app', { dependsOn: ['hello2'] })
    expect(await story.until(() => story.isReady('app') && story.inventories.length === 6, 60)).toBe(true)
    expect(CLUSTERS.map((c) => uidsOf(story, c))).toEqual(before)
    expect(CLUSTERS.flatMap((c) => deletesOn(story, c, from))).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
