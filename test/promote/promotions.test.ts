/** Promotions by pull request, from an environment into the next. */
import { describe, expect, it } from 'vitest'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { keyInBody } from '../../packages/lockstep/src/decisions/promotion/trailers.ts'
import { PipelineStory } from './pipelinestory.ts'

/** dev and staging at 1.0.0, and nothing to be done. */
async function settled(seed: string, promotion: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(seed)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

/** dev is at another version, and its pull request is open. */
async function opened(seed: string, promotion: object = {}, version = '2.0.0'): Promise<PipelineStory> {
  const story = await settled(seed, promotion)
  await story.runs('dev', version)
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  return story
}

const pulls = (story: PipelineStory) =>
  story.repository.pulls.list().map((p) => `#${p.number} ${p.state} ${p.title.split(' to ')[1]}`)

describe('a revision that is settled in one environment', () => {
  it('P1: gets a pull request for the next one: one, with its number in the status, and nothing more', async () => {
    const story = await opened('p1')
    const promotion = story.last('staging')!
    expect(promotion.status?.result?.pullRequest).toMatchObject({ number: 1, state: 'open' })
    expect(await story.atBase('staging', promotion.status!.intent!.branch)).toBe('2.0.0')
    expect(await story.atBase('staging')).toBe('1.0.0')
    expect(story.waits('staging')).toEqual(['AwaitingMerge'])
    const writes = story.writes()
    await story.pass(3600)
    expect(story.writes()).toBe(writes)
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    await story.pass(61)
    expect(story.phase('staging')).toBe('Converging')
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    expect(story.environment('staging')).toMatchObject({ current: '2.0.0', promoted: '2.0.0' })
    await story.pass(120)
    expect([...(await story.during(story.repository.store.branches())).keys()]).toEqual(['main'])
  })

  it('is merged by us where that is asked for', async () => {
    const story = await settled('merge', { pullRequest: { autoMerge: true } })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(await story.atBase('staging')).toBe('2.0.0')
    expect(pulls(story)).toEqual(['#1 merged 2.0.0 in staging'])
  })

  it('P5: v1, v2, v1, v2: each epoch once, in its turn', async () => {
    const story = await settled('p5')
    for (const version of ['2.0.0', '1.0.0', '2.0.0']) {
      await story.runs('dev', version)
      await story.pass(30)
    }
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(story.promotions('staging').map((p) => [p.spec.epoch, p.spec.revision, p.status?.phase])).toEqual([
      [1, '1.0.0', 'Succeeded'],
      [2, '2.0.0', 'Superseded'],
      [3, '1.0.0', 'Succeeded'],
      [4, '2.0.0', 'Open'],
    ])
    expect(pulls(story)).toEqual(['#1 closed 2.0.0 in staging', '#2 open 2.0.0 in staging'])
  })

  it('P6: an environment that is led back by hand is held, and nothing is promoted over that', async () => {
    const story = await settled('p6', { pullRequest: { autoMerge: true } })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(5)
    await story.runs('staging', '1.0.0')
    expect(await story.until(() => story.holds().length === 1, 5)).toBe(true)
    expect(story.holds()[0]).toMatchObject({
      metadata: { name: 'podinfo-staging-2-left' },
      spec: {
        environments: ['staging'],
        reason: expect.stringContaining('staging changed from 2.0.0 to 1.0.0'),
      },
    })
    await story.pass(600)
    expect(story.promotions('staging')).toHaveLength(2)
    await story.runs('dev', '3.0.0')
    await story.pass(60)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Pending', ['Held']])
    await story.ask('staging', 'r1')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(story.holds()).toEqual([])
    await story.ask('staging', 'r1')
    await story.pass(60)
    expect(story.promotions('staging').map((p) => p.status?.phase)).toEqual([
      ...['Succeeded', 'Succeeded', 'Superseded', 'Converging'],
    ])
  })

  it('P8: what people close is rejected for good; another revision, or another request, is another one', async () => {
    const story = await opened('p8')
    await story.during(story.repository.close(1))
    expect(await story.until(() => story.phase('staging') === 'Rejected', 61)).toBe(true)
    await story.pass(3600)
    expect(pulls(story)).toEqual(['#1 closed 2.0.0 in staging'])
    for (let i = 0; i < 2; i++) await story.ask('staging', 'r1')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.ask('staging', 'r1')
    await story.pass(60)
    expect(pulls(story)).toEqual(['#1 closed 2.0.0 in staging', '#2 open 2.0.0 in staging'])
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '3.0.0')).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(pulls(story).at(-1)).toBe('#3 open 3.0.0 in staging')
  })

  it('P12: with an approval nothing is done at the host before one of this very promotion', async () => {
    const story = await settled('p12')
    await story.pipeline({ dev: {}, staging: { promotion: { approval: 'Required' } } })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.waits('staging').includes('AwaitingApproval'))).toBe(true)
    const asked = story.host.requests.length
    await story.pass(600)
    expect(story.host.requests.length).toBe(asked)
    const before = story.last('staging')!
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '3.0.0')).toBe(true)
    await story.approve(before)
    await story.pass(60)
    expect([story.phase('staging'), story.waits('staging')]).toEqual([
      'Pending',
      ['ApprovalForOtherRevision'],
    ])
    await story.approve(story.last('staging')!)
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  })

  it('P13: what others have pushed is not merged, and by them it may be', async () => {
    const story = await opened('p13')
    const { branch } = story.last('staging')!.status!.intent!
    await story.during(story.repository.push(branch!, { 'README.md': 'theirs' }, 'more'))
    expect(await story.until(() => story.waits('staging').includes('BranchModified'), 61)).toBe(true)
    await story.during(story.repository.merge(1, { method: 'squash', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
  })

  it('onNewer Update: one pull request goes on with what is newer, as often as that comes', async () => {
    const story = await opened('update', { onNewer: 'Update' })
    for (const version of ['3.0.0', '4.0.0']) {
      await story.runs('dev', version)
      expect(await story.until(() => story.last('staging')?.spec.revision === version)).toBe(true)
      expect(await story.until(() => story.phase('staging') === 'Open', 70)).toBe(true)
    }
    expect(pulls(story)).toEqual(['#1 open 4.0.0 in staging'])
    const [, second, third, last] = story.promotions('staging')
    expect(second!.status).toMatchObject({
      phase: 'Superseded',
      result: { transferredTo: third!.metadata.name },
    })
    expect(last!.status!.intent).toMatchObject({ branch: second!.status!.intent!.branch })
    expect(keyInBody(story.repository.pulls.get(1)!.body)).toBe(keyOfPromotion(last!.spec))
    expect(await story.atBase('staging', last!.status!.intent!.branch)).toBe('4.0.0')
    await story.during(story.repository.merge(1, { method: 'squash', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(120)
    expect([...(await story.during(story.repository.store.branches())).keys()]).toEqual(['main'])
  })

  it('onNewer Update: what was merged before it could be handed on is left behind, and the newer one gets its own', async () => {
    const story = await opened('update/merged', { onNewer: 'Update' })
    const merge = () => story.repository.merge(1, { method: 'merge', by: 'person' })
    // Before the branch is moved.
    story.host.faults.add({ method: 'POST', path: /push$/, nth: 1 }, { kind: 'before', act: merge })
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '3.0.0')).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Open', 70)).toBe(true)
    expect(pulls(story)).toEqual(['#1 merged 2.0.0 in staging', '#2 open 3.0.0 in staging'])
    await story.during(story.repository.merge(2, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    expect(await story.atBase('staging')).toBe('3.0.0')
  })

  it('CausedByPromotion: what a promotion has put into the repository that its source is made from is promoted no further', async () => {
    const story = await PipelineStory.open('self')
    const head = async () =>
      `main@sha1:${(await story.during(story.repository.store.branches())).get('main')}`
    await story.runs('dev', await head())
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: { promotion: { pullRequest: { autoMerge: true } } } })
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', await head())
    await story.pass(300)
    expect(story.promotions('staging')).toHaveLength(1)
    expect(story.environment('staging')?.blockers).toMatchObject([{ reason: 'CausedByPromotion' }])
    await story.during(story.repository.push('main', { 'note.md': 'x' }, 'theirs'))
    const next = await head()
    await story.runs('dev', next)
    expect(await story.until(() => story.last('staging')?.spec.revision === next)).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
  })
})
