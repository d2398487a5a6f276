/** A cluster that was away, and nothing has happened on it meanwhile. */
import { expect, it } from 'vitest'
import { configManifest, Story } from './steps.ts'

const AWAY = { phase: 'connect', detail: 'connect ETIMEDOUT 10.3.0.1:6443' } as const
/** The next probe: 30 s and a fifth, and what is delivered then. */
const MOST_SECONDS = 37

it.each([1, 10, 240])(
  'for %i minutes: it is asked now and then, and delivered to soon after it is back',
  async (minutes) => {
    const story = await Story.begin(`away ${minutes}`, ['c0', 'c1'])
    const { net } = story.fleet.env
    for (const v of ['1', '2']) await story.config(`v${v}`, configManifest('a', v))
    await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    let asked = 0
    net.wire('https://c1.test', {
      before: async () => {
        asked++
        return AWAY
      },
    })
    await story.pass(600)
    asked = 0
    await story.module('web', 'v2', { rollout: { strategy: 'Replace', maxUnreachable: '100%' } })
    await story.pass(minutes * 60)
    // Who it is, and what of ours is there: each of both no more than each 24 s.
    expect(asked).toBeLessThanOrEqual(2 * (1 + (minutes * 60) / 24))
    expect(story.blockers('web').join()).toContain('ClusterUnreachable')
    net.wire('https://c1.test', undefined)
    expect(
      await story.until(() => story.isReady('web'), MOST_SECONDS),
      story.blockers('web').join('\n'),
    ).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  },
)
