/** A way back is taken before what waits behind the failure, and is not replaced by it. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

const verify = {
  soakSeconds: 0,
  timeoutSeconds: 60,
  checks: [{ name: 'slo', readyExpr: "revision == '1.0.0'" }],
}
const BACK = { verify, rollback: 'OnFailure' }

const moves = (story: PipelineStory) =>
  story.promotions('staging').map((p) => `${p.spec.revision} ${p.status?.phase}`)

/** 1.0.0 is verified in staging, and 2.0.0 is brought there, where it fails. */
async function failing(seed: string, promotion: object): Promise<PipelineStory> {
  const story = await PipelineStory.open(`wayback/${seed}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion: { ...BACK, ...promotion } } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.runs('dev', '2.0.0')
  return story
}

describe('a revision that fails while a newer one waits behind it', () => {
  it('goes back all the same; the newer one is held until somebody has seen it', async () => {
    const story = await failing('newer', { strategy: 'manual' })
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Verifying')).toBe(true)
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.promotions('staging').length === 3)).toBe(true)
    expect(story.waits('staging')).toEqual(['PromotionInProgress'])
    expect(await story.until(() => story.promotions('staging').length === 4, 120)).toBe(true)
    const [, failed, , back] = story.promotions('staging')
    expect(back!.spec).toMatchObject({ revision: '1.0.0', rollbackOf: failed!.metadata.name })
    await story.pass(300)
    expect(moves(story)).toEqual(['1.0.0 Succeeded', '2.0.0 Failed', '3.0.0 Superseded', '1.0.0 Converging'])
    expect(story.environment('staging')?.blockers?.map((b) => b.reason)).toEqual([
      ...['Held', 'PromotionInProgress'],
    ])
    await story.runs('staging', '1.0.0')
    expect(await story.until(() => story.promotions('staging').length === 5, 120)).toBe(true)
    await story.pass(60)
    expect(moves(story).slice(3)).toEqual(['1.0.0 Succeeded', '3.0.0 Pending'])
    expect([story.waits('staging'), story.holds().map((h) => h.metadata.name)]).toEqual([
      ['Held'],
      ['podinfo-staging-2-rollback'],
    ])
  })

  it('that somebody has asked for: that is what they want', async () => {
    const story = await failing('asked', { strategy: 'manual' })
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Verifying')).toBe(true)
    await story.ask('staging', 'r1=3.0.0')
    expect(await story.until(() => story.promotions('staging')[1]?.status?.phase === 'Failed', 120)).toBe(
      true,
    )
    await story.pass(60)
    expect([moves(story), story.holds()]).toEqual([
      ['1.0.0 Succeeded', '2.0.0 Failed', '3.0.0 Converging'],
      [],
    ])
  })
})

describe('a way back by pull request', () => {
  it('stays open while a newer revision is settled, which waits for its end', async () => {
    const story = await failing('pull', { pullRequest: { autoMerge: false } })
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 120)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Open', 300)).toBe(true)
    await story.runs('dev', '3.0.0')
    await story.pass(600)
    expect(moves(story).at(-1)).toBe('1.0.0 Open')
    expect(story.repository.pulls.list().map((p) => p.state)).toEqual(['merged', 'open'])
    await story.during(story.repository.merge(2, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 120)).toBe(true)
    await story.deliver()
    expect(await story.until(() => moves(story).at(-1) === '3.0.0 Pending', 120)).toBe(true)
  })
})
