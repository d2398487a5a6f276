/** What a lost answer has left behind at a host: it is looked for until 10 minutes after the merge. */
import { describe, expect, it } from 'vitest'
import { pipelineKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { withKey } from '../../packages/lockstep/src/decisions/promotion/trailers.ts'
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
    const o = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
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

  it('is not merged where people have closed the first: that is rejected, and this one closed', async () => {
    const story = await PipelineStory.open('stray/rejected')
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: { promotion: { pullRequest: { autoMerge: true } } } })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    story.repository.needsChecks = true
    story.host.faults.add({ method: 'POST', path: /\/pulls$/, nth: 1 }, { kind: 'late', ms: 50_000 })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open', 60)).toBe(true)
    await story.pass(3)
    await story.during(story.repository.close(1))
    await story.pass(100)
    for (const p of story.repository.pulls.list())
      if (p.state === 'open') story.repository.block(p.number, false)
    await story.pass(300)
    expect([story.phase('staging'), await story.atBase('staging'), states(story)]).toEqual([
      ...['Rejected', '1.0.0', ['closed', 'closed']],
    ])
  })
})

const states = (story: PipelineStory) => story.repository.pulls.list().map((p) => p.state)

/** dev is at 2.0.0, and its pull request is open. */
async function opened(seed: string): Promise<PipelineStory> {
  const story = await PipelineStory.open(`stray/${seed}`)
  await story.runs('dev', '2.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: {} })
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  return story
}

describe('its own pull request, still open at the end', () => {
  it('is closed once somebody has brought its revision to the base otherwise', async () => {
    const story = await opened('otherwise')
    const text = `# staging
spec:
  chart:
    # by hand
    version: 2.0.0 # {"$promotion": "platform:podinfo:staging"}
    interval: 1m
`
    await story.during(story.repository.push('main', { 'apps/staging.yaml': text }, 'by hand'))
    await story.deliver()
    await story.pass(1500)
    expect([story.phase('staging'), states(story)]).toEqual(['Succeeded', ['closed']])
    expect(story.repository.pulls.get(1)!.comments).toEqual(['The base has this revision already'])
    expect(story.last('staging')!.status?.result?.pullRequest?.state).toBe('closed')
  })

  it('is closed once something follows what has failed, and not before, however late that is', async () => {
    const story = await opened('failed')
    story.repository.methods = ['merge']
    const pullRequest = { autoMerge: true, mergeMethod: 'squash' }
    await story.pipeline({ dev: {}, staging: { promotion: { pullRequest } } })
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.phase('staging') === 'Failed', 120)).toBe(true)
    await story.pass(3600)
    expect(states(story)).toEqual(['closed', 'open'])
    story.repository.methods = ['merge', 'squash']
    await story.runs('dev', '4.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging', 120)).toBe(true)
    await story.pass(120)
    expect(states(story)).toEqual(['closed', 'closed', 'merged'])
    expect(story.repository.pulls.get(2)!.comments).toEqual(['Superseded by 4.0.0'])
    await story.pass(900)
    const asked = story.host.requests.length
    await story.pass(900)
    expect(story.host.requests.length).toBe(asked)
  })
})
