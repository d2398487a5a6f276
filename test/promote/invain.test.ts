/** Who asks for a promotion that there cannot be is told why. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

const blockers = (story: PipelineStory, environment: string) =>
  story.environment(environment)?.blockers?.map((b) => `${b.reason}: ${b.message}`)

describe('a request', () => {
  it('without a revision, where no environment is before it, until one is named', async () => {
    const story = await PipelineStory.open('invain/first')
    await story.runs('staging', '1.0.0')
    await story.pipeline({ staging: { promotion: { strategy: 'manual' } } })
    await story.ask('staging', 'r1')
    await story.pass(10)
    expect(blockers(story, 'staging')).toEqual([
      'InvalidAnnotation: Pipeline podinfo: lockstep.dev/request.staging: no environment comes before it; name a revision, such as r1=6.0.1',
    ])
    await story.ask('staging', 'r1=2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(10)
    expect(blockers(story, 'staging')).toBeUndefined()
  })

  it('for an environment without a promotion', async () => {
    const story = await PipelineStory.open('invain/without')
    await story.runs('dev', '1.0.0')
    await story.pipeline({ dev: {} })
    await story.ask('dev', 'r1=2.0.0')
    await story.pass(10)
    expect(blockers(story, 'dev')).toEqual([
      'InvalidAnnotation: Pipeline podinfo: lockstep.dev/request.dev: the environment has no promotion; set it, or remove the annotation',
    ])
    const ready = story.seen().status?.conditions?.find((c) => c.type === 'Ready')
    expect(ready).toMatchObject({ status: 'False', reason: 'InvalidAnnotation' })
  })
})
