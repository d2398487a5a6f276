/** Fleets whose handovers are over: nothing is asked any more, of the hub or of a cluster (acceptance 36). */
import { expect, it } from 'vitest'
import {
  byRing,
  condition,
  holdersOf,
  inShop,
  isGone,
  namespaceText,
  relabel,
  SHARED,
  settings,
  shop,
  together,
} from './handoverstory.ts'
import { Story } from './steps.ts'

const CLUSTERS = ['c1', 'c2', 'c3'] as const

/** Requests of the controllers by server, purpose and verb; a watch is opened again from time to time. */
const requests = (story: Story): Record<string, number> =>
  Object.fromEntries(
    story.fleet.env.meters
      .read()
      .filter((s) => s.name === 'lockstep_client_requests_total')
      .filter(({ labels }) => labels.why !== 'user' && labels.verb !== 'watch')
      .map(({ labels, value }) => [JSON.stringify(labels), value]),
  )

/** Revisions and bundles of deleted Modules are collected after an hour. */
const COLLECTED_S = 90 * 60

async function expectRest(story: Story): Promise<void> {
  await story.pass(COLLECTED_S)
  const before = requests(story)
  await story.pass(30 * 60)
  expect(requests(story)).toEqual(before)
  expect(Object.keys(before).length).toBeGreaterThan(0)
  expect(story.fleet.oracles.violations).toEqual([])
}

it('a rename on three clusters, and a Namespace that a Module with objects in it has inherited', async () => {
  const story = await Story.begin('rest renamed', CLUSTERS)
  await story.config('all', shop('1'))
  await story.config('guest', inShop('guest', '1'))
  await story.config('spare', together(namespaceText.replace('shop', 'spare')))
  for (const module of ['hello', 'spare']) await story.module(module, module === 'hello' ? 'all' : module)
  await story.module('guest', 'guest')
  expect(await story.until(() => ['hello', 'guest', 'spare'].every((m) => story.isReady(m)), 60)).toBe(true)
  await story.module('hello2', 'all')
  await story.deleteModule('hello')
  expect(await story.until(() => isGone(story, 'hello') && story.isReady('hello2'), 60)).toBe(true)
  await story.deleteModule('hello2')
  const isInherited = () => CLUSTERS.every((c) => holdersOf(story, c, SHARED)[0] === 'm.platform.guest')
  expect(await story.until(() => isGone(story, 'hello2') && isInherited(), 60)).toBe(true)
  await expectRest(story)
})

it('a receiver that is not deployed, and two Modules that insist on the same object', async () => {
  const story = await Story.begin('rest waiting', ['c1', 'c2'])
  for (const cluster of ['c1', 'c2']) await relabel(story, cluster, { ring: 'blue' })
  await story.config('v1', shop('1'))
  await story.config('copy', inShop('settings', '2'))
  await story.module('shop-v1', 'v1', byRing('blue'))
  await story.module('shop-v2', 'v1', { ...byRing('green'), dependsOn: ['none'] })
  expect(await story.until(() => story.isReady('shop-v1'))).toBe(true)
  await story.module('copy', 'copy', byRing('blue'))
  await relabel(story, 'c1', { ring: 'green' })
  expect(await story.until(() => condition(story, 'shop-v2', 'HandoverPending') !== undefined, 60)).toBe(true)
  expect(holdersOf(story, 'c2', [settings('settings')])).toEqual(['m.platform.shop-v1'])
  const isBlocked = () => story.blockers('copy').join().includes('OwnedByAnother')
  expect(await story.until(isBlocked, 60)).toBe(true)
  await expectRest(story)
})
