/** What somebody takes back in Git, before anything has followed that. */
import { describe, expect, it } from 'vitest'
import { PipelineStory, REPOSITORY } from './pipelinestory.ts'

const AUTO = { pullRequest: { autoMerge: true } }
const PUSH = {
  strategy: 'push',
  push: { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } },
}

async function settled(seed: string, promotion: object): Promise<PipelineStory> {
  const story = await PipelineStory.open(`tookback/${seed}`)
  await story.pushSecret('token-1')
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

async function promoted(story: PipelineStory, version: string): Promise<void> {
  await story.runs('dev', version)
  expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.pass(10)
}

const revert = (story: PipelineStory) =>
  story.during(
    story.repository.revert(story.repository.journal.changes.findLast((c) => c.branch === 'main')!.to!),
  )
const holds = (story: PipelineStory) => story.holds().map((h) => h.metadata.name)
const moves = (story: PipelineStory) =>
  story.promotions('staging').map((p) => `${p.spec.revision} ${p.status?.phase}`)

describe('a merge that is taken back before it is known', () => {
  it('is held before what is newer begins', async () => {
    const story = await settled('newer', {})
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    await revert(story)
    await story.runs('dev', '3.0.0')
    await story.pass(900)
    expect(moves(story)).toEqual(['1.0.0 Succeeded', '2.0.0 Failed', '3.0.0 Pending'])
    expect(story.promotions('staging')[1]!.status?.reason).toBe('RevertedInGit')
    expect([story.waits('staging'), holds(story)]).toEqual([['Held'], ['podinfo-staging-2-reverted']])
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.pass(120)
    expect(story.holds()).toEqual([])
  })
})

describe('what was promoted, and is taken back at the base', () => {
  it.each([
    ['by a merge', AUTO],
    ['by a push', PUSH],
  ])('is not gone over %s, before any target has followed that', async (_, promotion) => {
    const story = await settled(`followed/${promotion === AUTO}`, promotion)
    await promoted(story, '2.0.0')
    await revert(story)
    await story.runs('dev', '3.0.0')
    await story.pass(900)
    expect([await story.atBase('staging'), story.waits('staging'), holds(story)]).toEqual([
      ...['1.0.0', ['RevertedInGit'], []],
    ])
    // Once it is seen there, it is a Hold, and whoever deletes that has seen it.
    await story.deliver()
    await story.pass(5)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Converging', 120)).toBe(true)
    expect(await story.atBase('staging')).toBe('3.0.0')
  })

  it('nor by a pull request that was open before, and is in conflict with that now', async () => {
    const story = await settled('conflict', AUTO)
    await promoted(story, '2.0.0')
    story.repository.needsChecks = true
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await revert(story)
    expect(await story.until(() => story.last('staging')?.status?.rebuilt !== undefined, 300)).toBe(true)
    story.repository.block(2, false)
    await story.pass(300)
    expect([await story.atBase('staging'), story.waits('staging')]).toEqual(['1.0.0', ['RevertedInGit']])
    await story.ask('staging', 'r1')
    expect(await story.until(() => moves(story).at(-1) === '3.0.0 Open', 120)).toBe(true)
    story.repository.block(3, false)
    expect(await story.until(() => story.phase('staging') === 'Converging', 120)).toBe(true)
  })
})
