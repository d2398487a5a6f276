/** D19: what somebody has led back is held, and nothing is promoted over it: not by a newer revision, and not by an old request. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

/** dev and staging are at 1.0.0, and that is promoted. */
async function settled(seed: string, promotion: object): Promise<PipelineStory> {
  const story = await PipelineStory.open(`heldback/${seed}`)
  for (const e of ['dev', 'staging']) await story.runs(e, '1.0.0')
  await story.pipeline({ dev: {}, staging: { promotion } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

const holds = (story: PipelineStory) => story.holds().map((h) => h.metadata.name)
const moves = (story: PipelineStory) =>
  story.promotions('staging').map((p) => `${p.spec.revision} ${p.status?.phase}`)

describe('a request', () => {
  it('lets go of Holds once: the next revision comes upon those that were made since', async () => {
    const verify = {
      soakSeconds: 0,
      timeoutSeconds: 60,
      checks: [{ name: 'slo', readyExpr: "revision != '2.0.0'" }],
    }
    const story = await settled('request', { strategy: 'manual', verify, rollback: 'OnFailure' })
    await story.ask('staging', 'r1')
    const isAsked = () => story.promotions('staging').length === 2 && story.phase('staging') === 'Succeeded'
    expect(await story.until(isAsked, 300)).toBe(true)
    expect(story.last('staging')?.spec.requestID).toBe('r1')
    await story.runs('dev', '2.0.0')
    await story.until(() => story.last('staging')?.spec.revision === '2.0.0')
    expect(story.last('staging')?.spec.requestID).toBeUndefined()
    await story.runs('staging', '2.0.0')
    await story.until(() => story.last('staging')?.spec.rollbackOf !== undefined, 300)
    await story.runs('staging', '1.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 300)).toBe(true)
    expect(holds(story)).toEqual(['podinfo-staging-3-rollback'])
    await story.runs('dev', '3.0.0')
    await story.pass(60)
    expect([holds(story), moves(story).at(-1)]).toEqual([['podinfo-staging-3-rollback'], '3.0.0 Pending'])
    expect(story.waits('staging')).toContain('Held')
    await story.ask('staging', 'r2')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(holds(story)).toEqual([])
    expect(moves(story).at(-2)).toBe('3.0.0 Superseded')
  })
})
