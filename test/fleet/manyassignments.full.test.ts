/** Writes of assignments, by all modules of a process. */

import { expect, it } from 'vitest'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { configManifest, Story } from './steps.ts'

it('assignments of several modules to many clusters: no more than 32 are in progress at once', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `c${i}`)
  const story = await Story.begin('many at once', names)
  const { clock, net } = story.fleet.env
  let now = 0
  let most = 0
  net.wire('https://hub.test', {
    before: async ({ method, path }) => {
      if (method !== 'POST' || !path.includes('/inventories')) return undefined
      most = Math.max(most, ++now)
      await sleep(clock, 100)
      now--
      return undefined
    },
  })
  for (const m of ['a', 'b']) {
    await story.config(m, configManifest(m, '1'))
    await story.module(m, m, { rollout: { strategy: 'Replace', maxUnavailable: '100%' } })
  }
  expect(await story.until(() => story.isReady('a') && story.isReady('b'), 300)).toBe(true)
  expect(most).toBe(32)
})
