/** Pipelines and Promotions that are deleted while pull requests of theirs are open. */
import { describe, expect, it } from 'vitest'
import { pipelineKind, promotionKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { weaveIdentity } from '../../packages/lockstep/src/decisions/weave/weavepipeline.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'
import { openTheirs } from './theirs.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const PIPELINE = { namespace: NAMESPACE, name: 'podinfo' }
const CLOSE = { deletionPolicy: 'Close' }

/** A pull request for 2.0.0 is open. */
async function opened(seed: string, spec: object = {}, before?: (s: PipelineStory) => Promise<unknown>) {
  const story = await PipelineStory.open(`deletion/${seed}`)
  await story.runs('dev', '2.0.0')
  await story.follows('staging')
  await before?.(story)
  await story.pipeline({ dev: {}, staging: {} }, { spec })
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  return story
}

const setPolicy = async (story: PipelineStory, deletionPolicy: string) =>
  must(await story.during(story.fleet.hub.patch(pipelineKind, PIPELINE, { spec: { deletionPolicy } }, WRITE)))
const remove = async (story: PipelineStory) =>
  must(await story.during(story.fleet.hub.delete(pipelineKind, PIPELINE, WRITE)))
const removePromotion = async (story: PipelineStory) =>
  must(
    await story.during(
      story.fleet.hub.delete(
        promotionKind,
        { namespace: NAMESPACE, name: story.last('staging')!.metadata.name },
        WRITE,
      ),
    ),
  )
const states = (story: PipelineStory) => story.repository.pulls.list().map((p) => p.state)
const branches = async (story: PipelineStory) => [
  ...(await story.during(story.repository.store.branches())).keys(),
]
const isGone = (story: PipelineStory) =>
  story.seen() === undefined && story.promotions('staging').length === 0
/** Reasons of all phases that its promotions have had. */
const phases = (story: PipelineStory) =>
  story.fleet.commits
    .filter((c) => c.resource.startsWith('promotions.'))
    .map((c) => (c.next as { status?: { phase?: string } } | undefined)?.status?.phase)

describe('a Pipeline that is deleted', () => {
  it('leaves its pull requests open, unless it says otherwise', async () => {
    const story = await opened('orphan')
    await remove(story)
    expect(await story.until(() => isGone(story), 10)).toBe(true)
    await story.pass(120)
    expect(states(story)).toEqual(['open'])
    expect(await branches(story)).toHaveLength(2)
  })

  it('with Close closes them first, and says so where they are', async () => {
    const story = await opened('close', CLOSE)
    const { name } = story.last('staging')!.metadata
    await remove(story)
    expect(await story.until(() => isGone(story), 10)).toBe(true)
    expect(states(story)).toEqual(['closed'])
    expect(story.repository.pulls.get(1)?.comments).toEqual([`Promotion ${name} was deleted`])
    expect(await branches(story)).toEqual(['main'])
    expect(phases(story)).toContain('Aborted')
  })

  it('waits for a host that does not answer, and says how it is let go', async () => {
    const story = await opened('away', CLOSE)
    story.host.faults.add({ path: /./ }, { kind: 'status', status: 503 })
    await remove(story)
    await story.pass(300)
    const [blocker, closing] = story.seen().status!.blockers!
    expect(blocker).toMatchObject({ reason: 'HostUnreachable', facts: { status: 503 } })
    expect(closing).toMatchObject({ on: [{ object: { kind: 'Promotion' } }] })
    expect(closing!.message).toContain(
      `to keep them open, set spec.deletionPolicy: Orphan on Pipeline ${NAMESPACE}/podinfo`,
    )
    expect(story.waits('staging')).toEqual(['HostUnreachable', 'ClosingPullRequests'])
    const before = story.host.requests.length
    await story.pass(600)
    expect(story.host.requests.length - before).toBeLessThanOrEqual(11)
    await setPolicy(story, 'Orphan')
    expect(await story.until(() => isGone(story), 10)).toBe(true)
    expect(states(story)).toEqual(['open'])
  })

  it('goes on within a minute once its host is back', async () => {
    const story = await opened('back', CLOSE)
    story.host.faults.add({ path: /./ }, { kind: 'status', status: 503 })
    await remove(story)
    await story.pass(300)
    story.host.faults.clear()
    expect(await story.until(() => isGone(story), 65)).toBe(true)
    expect(states(story)).toEqual(['closed'])
  })

  it.each([
    ['the pull request is closed', 'PATCH', /\/pulls\/\d+$/],
    ['the branch is gone', 'POST', /push$/],
  ])('whose controller ends when %s goes with the next one', async (_, method, path) => {
    const story = await opened(`dies-${method}`, CLOSE)
    const restart = async () => {
      story.manager.stop()
      story.manager = story.start()
    }
    story.host.faults.add({ method, path, nth: 1 }, { kind: 'after', act: restart })
    await remove(story)
    expect(await story.until(() => isGone(story), 120)).toBe(true)
    expect(states(story)).toEqual(['closed'])
    expect(story.repository.pulls.get(1)?.comments).toHaveLength(1)
    expect(await branches(story)).toEqual(['main'])
  })

  it('that has come to say Close closes what was open before', async () => {
    const story = await opened('later')
    await setPolicy(story, 'Close')
    await story.pass(5)
    await remove(story)
    expect(await story.until(() => isGone(story), 10)).toBe(true)
    expect(states(story)).toEqual(['closed'])
  })

  it('leaves commits of others on their branch, and what others have opened', async () => {
    const story = await opened('foreign', CLOSE)
    const { branch = '' } = story.last('staging')!.status!.intent!
    await story.during(story.repository.push(branch, { 'README.md': 'mine' }, 'by hand'))
    await remove(story)
    expect(await story.until(() => isGone(story), 10)).toBe(true)
    expect(states(story)).toEqual(['closed'])
    expect(await branches(story)).toEqual([branch, 'main'])

    const identity = weaveIdentity(NAMESPACE, 'podinfo')
    const other = await opened('theirs', { ...CLOSE, identity }, (s) => openTheirs(s, 'staging', '2.0.0'))
    await remove(other)
    expect(await other.until(() => isGone(other), 10)).toBe(true)
    expect(states(other)).toEqual(['open'])
  })

  it('with nothing open asks nobody', async () => {
    const story = await PipelineStory.open('deletion/none')
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: {} }, { spec: CLOSE })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    story.host.faults.add({ path: /./ }, { kind: 'status', status: 503 })
    await remove(story)
    expect(await story.until(() => story.seen() === undefined, 5)).toBe(true)
  })

  it('while its pull request is being opened is gone once nothing can arrive any more', async () => {
    const story = await PipelineStory.open('deletion/arriving')
    await story.runs('dev', '2.0.0')
    await story.follows('staging')
    // The host takes it, and does it half a minute later: nobody waits for it by then.
    story.host.faults.add({ method: 'POST', path: /\/pulls$/, nth: 1 }, { kind: 'late', ms: 30_000 })
    await story.pipeline({ dev: {}, staging: {} }, { spec: CLOSE })
    expect(await story.until(() => story.phase('staging') === 'Applying')).toBe(true)
    await story.pass(2)
    await remove(story)
    await story.pass(60)
    expect(story.waits('staging')).toEqual(['ClosingPullRequests'])
    expect(await story.until(() => isGone(story), 60)).toBe(true)
    expect(states(story).filter((s) => s === 'open')).toEqual([])
  })
})

describe('a Promotion that is deleted alone', () => {
  it('with Close is aborted and its pull request closed; what its pipeline makes in its place does not open it again', async () => {
    const story = await opened('alone', CLOSE)
    await removePromotion(story)
    expect(await story.until(() => story.phase('staging') === 'Rejected', 60)).toBe(true)
    await story.pass(900)
    expect(states(story)).toEqual(['closed'])
    expect(story.promotions('staging').map((p) => p.status?.phase)).toEqual(['Rejected'])
    await story.ask('staging', 'r1')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(states(story)).toEqual(['closed', 'open'])
  })

  it('that has succeeded is made anew, and nobody is said to have led anything elsewhere', async () => {
    const story = await PipelineStory.open('deletion/succeeded')
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: { promotion: { pullRequest: { autoMerge: true } } } })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 120)).toBe(true)
    await story.pass(300)
    await removePromotion(story)
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 300)).toBe(true)
    await story.pass(300)
    expect([story.promotions('staging').map((p) => p.spec.revision), story.holds()]).toEqual([
      ['1.0.0', '2.0.0'],
      [],
    ])
  })

  it('without is made anew, and its pull request is taken up again', async () => {
    const story = await opened('taken-up')
    const { uid } = story.last('staging')!.metadata
    await removePromotion(story)
    expect(
      await story.until(
        () => story.phase('staging') === 'Open' && story.last('staging')?.metadata.uid !== uid,
      ),
    ).toBe(true)
    expect(states(story)).toEqual(['open'])
  })
})
