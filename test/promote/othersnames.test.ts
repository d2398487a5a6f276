/** Names that are somebody else's by now: an identity that another Pipeline has, a branch on which others have worked. */
import { describe, expect, it } from 'vitest'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { pipelineKind } from '../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { branchName } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const KEY = { namespace: NAMESPACE, name: 'podinfo' }

const pulls = (story: PipelineStory) => story.repository.pulls.list().map((p) => p.state)

/** dev and staging at 1.0.0. */
async function settled(seed: string, promotion: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(`names/${seed}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

describe('a pipeline', () => {
  it('that has lost its identity to another one begins nothing, and merges nothing; what people merge is followed', async () => {
    const auto = { promotion: { pullRequest: { autoMerge: true } } }
    const story = await settled('lost', auto.promotion)
    story.repository.needsChecks = true
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    // As after a restore, in which the other one came first.
    const { hub } = story.fleet
    const { spec } = must(await story.during(hub.get(pipelineKind, KEY, { purpose: 'user' })))
    const left = story.promotions('staging')
    story.manager.stop()
    must(await story.during(hub.delete(pipelineKind, KEY, { ...WRITE, propagation: 'Orphan' })))
    const other = { ...KEY, name: 'another' }
    const body = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Pipeline', metadata: other, spec }
    must(await story.during(hub.create(pipelineKind, body as never, WRITE)))
    await story.during(sleep(story.fleet.env.clock, 2000))
    await story.pipeline({ dev: {}, staging: auto })
    expect(story.promotions('staging').map((p) => p.metadata.uid)).toEqual(left.map((p) => p.metadata.uid))
    story.manager = story.start()
    story.repository.block(1, false)
    await story.pass(300)
    expect(pulls(story)).toEqual(['open'])
    expect(story.waits('staging')).toEqual(['MergeBlocked', 'IdentityConflict'])
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
  })
})

describe('a branch of its name', () => {
  it('on which others have worked is not moved, and nothing is opened of it: BranchConflict, and they are named', async () => {
    const story = await settled('branch')
    const { repository } = story
    const id = { ...story.last('staging')!.spec, epoch: 2, revision: '2.0.0' }
    const main = (await story.during(repository.store.branches())).get('main')!
    await story.during(repository.forcePush(branchName(id), main))
    const theirs = await story.during(repository.push(branchName(id), { 'note.md': 'x' }, 'theirs'))
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Failed')).toBe(true)
    expect(story.last('staging')!.status).toMatchObject({
      reason: 'BranchConflict',
      message: expect.stringContaining(`branch ${branchName(id)} exists without a commit of this promotion`),
    })
    await story.pass(120)
    expect((await story.during(repository.store.branches())).get(branchName(id))).toBe(theirs)
    expect(pulls(story)).toEqual([])
  })
})
