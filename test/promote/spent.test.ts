/** An id of a request counts once, also where the status is gone that knew it. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

const MANUAL = { promotion: { strategy: 'manual' } }
const REQUEST = { annotations: { 'lockstep.dev/request.staging': 'r1=1.0.0' } }
const moves = (story: PipelineStory) =>
  story.promotions('staging').map((p) => [p.spec.epoch, p.spec.revision, p.spec.requestID])

async function brings(story: PipelineStory, version: string): Promise<void> {
  const isDue = () =>
    story.phase('staging') === 'Converging' && story.last('staging')?.spec.revision === version
  expect(await story.until(isDue)).toBe(true)
  await story.runs('staging', version)
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
}

/** 2.0.0, then 1.0.0, which somebody has asked for, and 3.0.0 after it where it is followed. */
async function asked(seed: string, isFollowed: boolean): Promise<PipelineStory> {
  const story = await PipelineStory.open(`spent/${seed}`)
  await story.runs('dev', '2.0.0')
  await story.runs('staging', '2.0.0')
  await story.pipeline({ dev: {}, staging: MANUAL })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.ask('staging', 'r1=1.0.0')
  await brings(story, '1.0.0')
  if (isFollowed) {
    await story.runs('dev', '3.0.0')
    await brings(story, '3.0.0')
  }
  await story.pass(60)
  return story
}

describe('a request that was spent long ago', () => {
  it('does not count again once its environment was taken out and is put back', async () => {
    const story = await asked('away', true)
    const before = moves(story)
    await story.pipeline({ dev: {} }, REQUEST)
    await story.pass(60)
    await story.pipeline({ dev: {}, staging: MANUAL }, REQUEST)
    await story.pass(120)
    expect(moves(story)).toEqual(before)
    expect(story.environment('staging')?.intent).toMatchObject({
      epoch: 3,
      revision: '3.0.0',
      requestID: 'r1',
    })
    await story.ask('staging', 'r2=1.0.0')
    await brings(story, '1.0.0')
    expect(moves(story).at(-1)).toEqual([4, '1.0.0', 'r2'])
  })

  it('is the intent again where nothing has followed', async () => {
    const story = await asked('last', false)
    const before = moves(story)
    await story.pipeline({ dev: {} }, REQUEST)
    await story.pass(60)
    await story.pipeline({ dev: {}, staging: MANUAL }, REQUEST)
    await story.pass(120)
    expect(moves(story)).toEqual(before)
    expect(story.environment('staging')?.intent).toMatchObject({
      epoch: 2,
      revision: '1.0.0',
      requestID: 'r1',
      asked: true,
    })
  })
})
