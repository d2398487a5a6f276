/** What a lost answer has left behind at a host: it is looked for until 10 minutes after the merge. */
import { describe, expect, it } from 'vitest'
import { pipelineKind } from '../../src/api/registry.ts'
import { keyOfPromotion } from '../../src/core/promotion/key.ts'
import { withKey } from '../../src/core/promotion/marks.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'

const MINUTE = 60_000

/** The first request to open a pull request arrives so late: another one was opened and merged long before. */
async function arrives(lateMs: number) {
  const story = await PipelineStory.open(`stray/${lateMs}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  // With its branch it can be opened, since a squash leaves its commit out of the base.
  const pullRequest = { autoMerge: true, mergeMethod: 'squash', deleteBranch: false }
  await story.pipeline({ dev: {}, staging: { promotion: { pullRequest } } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  story.host.faults.add({ method: 'POST', path: /\/pulls$/, nth: 1 }, { kind: 'late', ms: lateMs })
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
  const mergedAt = story.fleet.env.clock.now()
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
  expect(await story.until(() => story.repository.pulls.list().length === 2, lateMs / 1000)).toBe(true)
  const late = story.fleet.env.clock.now() - mergedAt
  const asked = story.host.requests.length
  await story.pass(70)
  const [, stray] = story.repository.journal.pullsOf(keyOfPromotion(story.last('staging')!.spec))
  return { late, stray: stray!, asks: story.host.requests.length - asked, story }
}

describe('a pull request that is opened twice', () => {
  it('is closed within 70 s, also in the 10th minute after the merge', async () => {
    const { late, stray, story } = await arrives(10.2 * MINUTE)
    expect([late > 9 * MINUTE, late < 10 * MINUTE]).toEqual([true, true])
    expect(stray.closedAt! - stray.openedAt).toBeLessThanOrEqual(70_000)
    expect(story.repository.pulls.get(stray.number)!.comments).toEqual(['Duplicate of #1'])
    expect(story.repository.journal.changesOf(stray.key!, 'main')).toHaveLength(1)
  })

  it('later than 10 minutes after it is left to people: nobody asks the host any more', async () => {
    const { late, stray, asks } = await arrives(13 * MINUTE)
    expect(late).toBeGreaterThan(10 * MINUTE)
    expect([stray.closedAt, asks]).toEqual([undefined, 0])
  })

  it('and whose pipeline is deleted, and made anew where the base has the value, is closed as well', async () => {
    const story = await PipelineStory.open('stray/anew')
    await story.runs('dev', '2.0.0')
    await story.follows('staging')
    const environments = { dev: {}, staging: {} }
    await story.pipeline(environments)
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const { spec, status } = story.last('staging')!
    await story.during(story.repository.merge(1, { method: 'squash', by: 'person' }))
    const key = { namespace: NAMESPACE, name: 'podinfo' }
    const o = { why: 'user', manager: 'user', fence: 'any', force: true } as const
    must(await story.during(story.fleet.hub.delete(pipelineKind, key, o)))
    expect(await story.until(() => story.promotions('staging').length === 0, 10)).toBe(true)
    // Sent before, it arrives now.
    const head = status!.intent!.branch!
    const body = withKey('', keyOfPromotion(spec))
    await story.during(story.repository.open({ head, base: 'main', title: 'Promote', body }))
    await story.pipeline(environments)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 60)).toBe(true)
    expect(story.last('staging')!.status?.result?.alreadyAtRevision).toBe(true)
    await story.pass(200)
    expect(story.repository.pulls.list().map((p) => [p.state, p.comments])).toEqual([
      ['merged', []],
      ['closed', ['This promotion has ended']],
    ])
    expect([...(await story.during(story.repository.store.branches())).keys()]).toEqual(['main'])
  })
})
