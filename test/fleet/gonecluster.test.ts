/** The Secret of a cluster is deleted: no Module counts it, answers name it, and its Inventories can be deleted. */
import { expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const KEY = { namespace: NAMESPACE, name: 'c2' }
const two = (name: string): string => `${configManifest(name, '1')}---\n${configManifest(`${name}-too`, '1')}`

async function gone(name: string): Promise<Story> {
  const story = await Story.begin(name, ['c1', 'c2'])
  for (const m of ['a', 'b']) {
    await story.config(m, two(m))
    await story.module(m, m, { rollout: { strategy: 'Replace' } })
  }
  expect(await story.until(() => story.isReady('a') && story.isReady('b'))).toBe(true)
  must(await story.during(story.fleet.hub.delete(secretKind, KEY, USER)))
  await story.pass(30)
  return story
}

it('its assemblage names the object, the time and what remains, and the Modules stay ready', async () => {
  const story = await gone('gone')
  expect([story.isReady('a'), story.isReady('b')]).toEqual([true, true])
  const { status } = story.manager.hub.assemblages.store.get(KEY)!
  expect(status?.cluster).toBe('Absent')
  expect(status?.blockers?.[0]?.message).toMatch(
    /^c2 was removed from the cluster inventory at 2026-01-01T00:\d\d:\d\dZ \(Secret platform\/c2 deleted\); 4 objects remain there$/,
  )
  expect(story.live('c2', 'configmaps', 'a')).toBeDefined()
  const secret = clusterSecret('c2', { env: 'prod' })
  must(await story.during(story.fleet.hub.create(secretKind, secret, { purpose: 'user', manager: 'user' })))
  const isBack = () => story.manager.hub.assemblages.store.get(KEY)?.status?.cluster === 'Connected'
  expect(await story.until(isBack, 60)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('its Inventories go a minute after a person has deleted them, and nothing is deleted on the cluster', async () => {
  const story = await gone('gone-inventory')
  const from = story.fleet.commits.length
  const key = { namespace: NAMESPACE, name: 'm.a.c2' }
  must(await story.during(story.fleet.hub.delete(inventoryKind, key, USER)))
  expect(await story.until(() => story.inventory('a', 'c2') === undefined, 90)).toBe(true)
  expect(story.inventory('b', 'c2')).toBeDefined()
  expect(story.writes('c2', from)).toEqual([])
  expect([story.isReady('a'), story.isReady('b')]).toEqual([true, true])
})
