/** An environment that is taken out of its pipeline for a while, and put back: nothing is ended by that. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

const MANUAL = { strategy: 'manual', rollback: 'OnFailure', convergeDeadlineSeconds: 600 }

/** 2.0.0 has been brought to staging. */
async function brought(seed: string, promotion: object, o: { ready?: boolean } = {}) {
  const story = await PipelineStory.open(`environmentaway/${seed}`)
  for (const environment of ['dev', 'staging']) await story.runs(environment, '1.0.0')
  const put = () => story.pipeline({ dev: {}, staging: { promotion: { ...MANUAL, ...promotion } } })
  await put()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 200)).toBe(true)
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
  await story.runs('staging', '2.0.0', o)
  await story.pass(30)
  const away = async (seconds: number) => {
    await story.pipeline({ dev: {} })
    await story.pass(30)
    const writes = story.writes()
    await story.pass(seconds)
    expect([story.waits('staging'), story.writes()]).toEqual([['PipelineNotFound'], writes])
    await put()
  }
  return { story, away }
}

describe('an environment that is away for an hour', () => {
  it('while its targets get there: the deadline has stood still, and runs on', async () => {
    const { story, away } = await brought('converging', {}, { ready: false })
    await away(3600)
    await story.pass(500)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Converging', ['TargetNotReady']])
    expect(await story.until(() => story.promotions('staging')[1]?.status?.phase === 'Failed', 90)).toBe(true)
  })

  it('while it has to stay well: for so long it is looked at anew', async () => {
    const verify = { soakSeconds: 120, timeoutSeconds: 600, checks: [] }
    const { story, away } = await brought('verifying', { verify })
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Verifying', ['Soaking']])
    await away(3600)
    await story.pass(100)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Verifying', ['Soaking']])
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 30)).toBe(true)
  })
})
