/** P19: pull requests that the pipeline-controller of weaveworks has left open. */
import { describe, expect, it } from 'vitest'
import { weaveIdentity } from '../../packages/lockstep/src/decisions/weave/weavepipeline.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'
import { openTheirs } from './theirs.ts'

const OURS = weaveIdentity(NAMESPACE, 'podinfo')

/** dev at 2.0.0, staging at 1.0.0, and a pull request of theirs. */
async function left(
  seed: string,
  o: { version?: string; mark?: string; promotion?: object; identity?: string } = {},
): Promise<PipelineStory> {
  const story = await PipelineStory.open(`adopting/${seed}`)
  await story.runs('dev', '2.0.0')
  await story.follows('staging')
  await openTheirs(story, 'staging', o.version ?? '2.0.0', o.mark)
  const spec = { identity: o.identity ?? OURS }
  await story.pipeline({ dev: {}, staging: { promotion: o.promotion ?? {} } }, { spec })
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  return story
}

const pulls = (story: PipelineStory) =>
  story.repository.pulls.list().map((p) => `#${p.number} ${p.state} ${p.head.split('/')[0]}`)
const THEIRS = `promotion-${NAMESPACE}-podinfo-staging`

describe('a pull request that the pipeline-controller of weaveworks has left open', () => {
  it('with the revision that is due is adopted, as it is, and followed to its end', async () => {
    const story = await left('merged')
    const { status } = story.last('staging')!
    expect(status).toMatchObject({
      intent: { adopts: 1, branch: THEIRS },
      result: { pullRequest: { number: 1, state: 'open' } },
    })
    const before = story.repository.pulls.get(1)
    await story.pass(300)
    expect(story.repository.pulls.get(1)).toEqual(before)
    expect(pulls(story)).toEqual([`#1 open ${THEIRS}`])
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(120)
    expect([...(await story.during(story.repository.store.branches())).keys()]).toEqual(['main'])
  })

  it('and is closed by people is rejected; its branch stays, and another request is one of ours', async () => {
    const story = await left('closed')
    await story.during(story.repository.close(1))
    expect(await story.until(() => story.phase('staging') === 'Rejected', 61)).toBe(true)
    await story.pass(900)
    expect([...(await story.during(story.repository.store.branches())).keys()]).toEqual(['main', THEIRS])
    await story.ask('staging', 'r1')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(pulls(story)).toEqual([`#1 closed ${THEIRS}`, '#2 open lockstep'])
  })

  it('is not merged by us, and closed where something newer follows', async () => {
    const story = await left('newer', { promotion: { pullRequest: { autoMerge: true }, onNewer: 'Update' } })
    await story.pass(120)
    expect(pulls(story)).toEqual([`#1 open ${THEIRS}`])
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.repository.pulls.list().length === 2)).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(pulls(story)).toEqual([`#1 closed ${THEIRS}`, '#2 merged lockstep'])
    expect(story.repository.pulls.get(1)?.comments).toEqual(['Superseded by 3.0.0'])
  })

  it('and pushed to by people is theirs until they end it', async () => {
    const story = await left('pushed')
    await story.during(story.repository.push(THEIRS, { 'README.md': 'more' }, 'by hand'))
    expect(await story.until(() => story.waits('staging').includes('BranchModified'), 61)).toBe(true)
    await story.during(story.repository.merge(1, { method: 'squash', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
  })

  it.each<[string, object]>([
    ['with another revision', { version: '1.5.0' }],
    ['of another pipeline whose branch has the same name', { mark: `${NAMESPACE}-podinfo/staging/x` }],
    ['of a pipeline that is no import', { identity: 'podinfo' }],
  ])('%s is left alone', async (name, o) => {
    const story = await left(name, o)
    await story.pass(900)
    expect(pulls(story)).toEqual([`#1 open ${THEIRS}`, '#2 open lockstep'])
    await story.during(story.repository.merge(2, { method: 'merge', by: 'person' }))
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(900)
    expect(pulls(story)).toEqual([`#1 open ${THEIRS}`, '#2 merged lockstep'])
  })

  it('of a fork is nobody’s: its branch is not in the repository', async () => {
    const story = await PipelineStory.open('adopting/fork')
    await story.runs('dev', '2.0.0')
    await story.follows('staging')
    await openTheirs(story, 'staging', '2.0.0')
    const { pulls: hosted } = story.repository
    // What a host says of a branch elsewhere: a commit that the branch of that name has not here.
    hosted.change(1, { headCommit: 'f'.repeat(40) })
    await story.pipeline({ dev: {}, staging: {} }, { spec: { identity: OURS } })
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(pulls(story)).toEqual([`#1 open ${THEIRS}`, '#2 open lockstep'])
  })

  it('that appears before ours is opened is adopted all the same', async () => {
    const story = await PipelineStory.open('adopting/late')
    await story.runs('dev', '2.0.0')
    await story.follows('staging')
    story.host.faults.add({ method: 'POST', path: /push$/, nth: 1 }, { kind: 'status', status: 502 })
    await story.pipeline({ dev: {}, staging: {} }, { spec: { identity: OURS } })
    expect(await story.until(() => (story.last('staging')?.status?.attempt ?? 0) === 1)).toBe(true)
    await openTheirs(story, 'staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(pulls(story)).toEqual([`#1 open ${THEIRS}`])
  })
})
