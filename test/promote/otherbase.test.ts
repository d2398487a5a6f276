/** Pull requests of our branch onto another one than the base: people make them, and lead ours there. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

async function opened(seed: string): Promise<PipelineStory> {
  const story = await PipelineStory.open(`otherbase/${seed}`)
  await story.runs('dev', '2.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: {} })
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  await story.during(story.repository.push('release', { 'x.md': 'x' }, 'release'))
  return story
}

const pulls = (story: PipelineStory) =>
  story.repository.pulls.list().map((p) => `#${p.number} ${p.state} ${p.base}`)

describe('a pull request of its branch onto another one', () => {
  it('that others have opened stays open, and so does the branch', async () => {
    const story = await opened('theirs')
    const head = story.last('staging')!.status!.intent!.branch!
    await story.during(story.repository.open({ head, base: 'release', title: 'Backport', body: 'mine' }))
    await story.pass(70)
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    await story.pass(1000)
    expect(pulls(story)).toEqual(['#1 merged main', '#2 open release'])
  })

  it('that was ours is rejected, which says where it was led, and no second one is opened', async () => {
    const story = await opened('led')
    story.repository.pulls.change(1, { base: 'release' })
    expect(await story.until(() => story.phase('staging') === 'Rejected', 70)).toBe(true)
    expect(story.last('staging')!.status?.message).toMatch(/^pull request #1 was moved to base release; /)
    await story.pass(1000)
    expect(pulls(story)).toEqual(['#1 open release'])
  })
})
