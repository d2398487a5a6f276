/** Tokens of clusters over a day: renewed in time, and no request is refused. */
import { expect, it } from 'vitest'
import { answers, registerCluster, renewals, storedEnd } from './registercluster.ts'
import { configManifest, Story } from './steps.ts'

const HOURS = 3600

it('a day of tokens that last ten minutes: at least 140 renewals, no refused request, and deliveries continue', async () => {
  const story = await Story.begin('renewals-day', ['c1'])
  await registerCluster(story, 'c1', 600)
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const sessions = story.manager.hub.assemblages.store.get({ namespace: 'platform', name: 'c1' })
  for (let hour = 0; hour < 24; hour += 6) {
    await story.pass(6 * HOURS)
    await story.config('web', configManifest('web', `${hour}`))
    expect(await story.until(() => story.live('c1', 'configmaps', 'web')?.data !== undefined)).toBe(true)
  }
  expect(renewals(story, 'c1')).toBeGreaterThanOrEqual(140)
  expect(renewals(story, 'c1')).toBeLessThanOrEqual(250)
  const refused = Object.entries(answers(story, 'c1')).filter(([code]) => code === '401' || code === '403')
  expect(refused).toEqual([])
  const now = story.manager.hub.assemblages.store.get({ namespace: 'platform', name: 'c1' })
  expect([now?.status?.cluster, now?.metadata.uid]).toEqual(['Connected', sessions?.metadata.uid])
  expect(story.fleet.oracles.violations).toEqual([])
}, 240_000)

it('a shorter grant than the one that was asked for is followed', async () => {
  const story = await Story.begin('renewals-short', ['c1'])
  // The Secret asks for a week, and has a token for ten minutes, as of a server that grants no more.
  await registerCluster(story, 'c1', 600, { 'lockstep.dev/renew': '10m' })
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const before = storedEnd(story, 'c1')
  expect(await story.until(() => storedEnd(story, 'c1') > before, 460)).toBe(true)
  expect(storedEnd(story, 'c1') - before).toBeLessThan(600_000)
}, 60_000)
