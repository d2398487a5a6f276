/** What nothing needs any more goes; what something needs never does. */
import { describe, expect, it } from 'vitest'
import { collectorCases } from './collector.cases.ts'
import { cutCases, shards } from './cut.cases.ts'
import { configManifest, Story } from './steps.ts'

const HOUR = 3600

describe('collection', () => {
  it('keeps as many revisions as the module says, beside those in use; bundles go with them', async () => {
    const story = await Story.begin('history', ['edge'])
    for (let n = 0; n < 6; n++) {
      await story.config(`v${n}`, configManifest('c', `${n}`))
      await story.module('web', `v${n}`, { revisionHistoryLimit: 2 })
      await story.pass(3)
      expect(await story.until(() => story.isReady('web'))).toBe(true)
    }
    expect(story.fleet.stored('controllerrevisions.apps')).toHaveLength(6)
    await story.pass(0.9 * HOUR)
    expect(shards(story.fleet)).toHaveLength(6)
    await story.pass(1.1 * HOUR)
    // The published one, the one before it, and two more.
    expect(story.fleet.stored('controllerrevisions.apps')).toHaveLength(4)
    await story.pass(1.5 * HOUR)
    expect(shards(story.fleet)).toHaveLength(4)
    expect(story.fleet.oracles.violations).toEqual([])
    await story.deleteModule('web')
    await story.pass(2 * HOUR)
    expect(shards(story.fleet)).toEqual([])
  })
})

// More of both, and all cuts: `test/deep/collector.deep.test.ts`.
collectorCases(20, 15)
cutCases([
  ['before', 0],
  ['after', 2],
  ['before', 4],
  ['after', 4],
])
