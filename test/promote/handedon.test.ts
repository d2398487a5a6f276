/** A pull request that went on from one revision to the next (`onNewer: Update`), and whose promotion is made anew: it is on the branch of the first. */
import { describe, expect, it } from 'vitest'
import { pipelineKind, promotionKind } from '../../src/api/registry.ts'
import { keyOfPromotion } from '../../src/core/promotion/key.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { appFile, PipelineStory } from './pipelinestory.ts'

const WRITE = { why: 'user', manager: 'user', fence: 'any', force: true } as const
const ENVIRONMENTS = { dev: {}, staging: { promotion: { onNewer: 'Update' } } }

/** Pull request #1 was for 2.0.0, and is for 3.0.0 now. */
async function handedOn(seed: string): Promise<PipelineStory> {
  const story = await PipelineStory.open(`handedon/${seed}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline(ENVIRONMENTS)
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  for (const version of ['2.0.0', '3.0.0']) {
    await story.runs('dev', version)
    expect(await story.until(() => story.last('staging')?.spec.revision === version)).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Open', 70)).toBe(true)
  }
  return story
}

const titles = (story: PipelineStory) =>
  story.repository.pulls.list().map((p) => `#${p.number} ${p.state} ${p.title.split(' to ')[1]}`)

const merge = (story: PipelineStory, method: 'merge' | 'squash' | 'rebase' = 'merge') =>
  story.during(story.repository.merge(1, { method, by: 'person' }))

async function revert(story: PipelineStory): Promise<void> {
  const head = (await story.during(story.repository.store.branches())).get('main')!
  await story.during(story.repository.revert(head))
}

async function deleted(story: PipelineStory): Promise<void> {
  const key = { namespace: NAMESPACE, name: 'podinfo' }
  must(await story.during(story.fleet.hub.delete(pipelineKind, key, WRITE)))
  expect(await story.until(() => story.promotions('staging').length === 0, 10)).toBe(true)
}

const changes = (story: PipelineStory) =>
  story.repository.journal.changesOf(keyOfPromotion(story.last('staging')!.spec), 'main').length

describe('a pipeline that is made anew', () => {
  it('goes on with what is open, which is on the branch of an earlier revision', async () => {
    const story = await handedOn('open')
    const before = story.last('staging')!.spec
    await deleted(story)
    await story.pipeline(ENVIRONMENTS)
    expect(await story.until(() => story.phase('staging') === 'Open', 120)).toBe(true)
    expect(story.last('staging')!.spec).toMatchObject({ epoch: before.epoch, revision: '3.0.0' })
    await story.pass(120)
    expect(titles(story)).toEqual(['#1 open 3.0.0 in staging'])
    await merge(story)
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
    await story.pass(120)
    expect([changes(story), [...(await story.during(story.repository.store.branches())).keys()]]).toEqual([
      1,
      ['main'],
    ])
  })

  it('leaves alone what others have put on that branch, and says so', async () => {
    const story = await handedOn('theirs')
    const { branch = '' } = story.last('staging')!.status!.intent!
    await deleted(story)
    await story.during(story.repository.push(branch, { 'README.md': 'theirs' }, 'theirs'))
    await story.pipeline(ENVIRONMENTS)
    expect(await story.until(() => story.waits('staging').includes('BranchModified'), 120)).toBe(true)
    await story.pass(120)
    expect(titles(story)).toEqual(['#1 open 3.0.0 in staging'])
  })

  it('rejects what was closed meanwhile', async () => {
    const story = await handedOn('closed')
    await deleted(story)
    await story.during(story.repository.close(1))
    await story.pipeline(ENVIRONMENTS)
    expect(await story.until(() => story.phase('staging') === 'Rejected', 120)).toBe(true)
    await story.pass(120)
    expect(titles(story)).toEqual(['#1 closed 3.0.0 in staging'])
  })

  it.each(['merge', 'squash', 'rebase'] as const)(
    'does not do again what was merged (%s) and reverted before, by that key',
    async (method) => {
      const story = await handedOn(`merged/${method}`)
      await merge(story, method)
      await deleted(story)
      await revert(story)
      // Of what was opened less than 5 minutes ago two clocks do not tell which is older.
      await story.pass(400)
      await story.pipeline(ENVIRONMENTS)
      await story.pass(300)
      const [first] = story.promotions('staging').filter((p) => p.spec.revision === '3.0.0')
      expect(first!.status).toMatchObject({ reason: 'KeyReused' })
      const { journal } = story.repository
      expect(journal.changesOf(keyOfPromotion(first!.spec), 'main')).toHaveLength(1)
      expect(journal.pullsOf(keyOfPromotion(first!.spec))).toHaveLength(1)
    },
  )

  it('closes what is left open where the base has the value already', async () => {
    const story = await handedOn('present')
    await deleted(story)
    const files = { 'apps/staging.yaml': appFile('staging', '3.0.0') }
    await story.during(story.repository.push('main', files, 'by hand'))
    await story.pipeline(ENVIRONMENTS)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 120)).toBe(true)
    await story.pass(200)
    expect(titles(story)).toEqual(['#1 closed 3.0.0 in staging'])
    expect([...(await story.during(story.repository.store.branches())).keys()]).toEqual(['main'])
  })
})

describe('a promotion that is deleted alone, after it was merged and reverted', () => {
  it('is not done again', async () => {
    const story = await handedOn('alone')
    await merge(story)
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    await revert(story)
    const { uid, name } = story.last('staging')!.metadata
    const key = { namespace: NAMESPACE, name }
    must(await story.during(story.fleet.hub.delete(promotionKind, key, WRITE)))
    expect(await story.until(() => story.last('staging')?.metadata.uid !== uid, 10)).toBe(true)
    await story.pass(300)
    const { journal } = story.repository
    const [again] = story.promotions('staging').filter((p) => p.metadata.name === name)
    expect(journal.changesOf(keyOfPromotion(again!.spec), 'main')).toHaveLength(1)
    expect(again!.status?.phase).toBe('Failed')
  })
})
