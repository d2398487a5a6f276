/** What is kept of promotions that are over. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

/** In a file that is not there: each promotion fails, and costs nothing. */
const VAIN = { promotion: { edits: [{ file: 'nowhere.yaml', path: 'version' }] } }
/** Where people bring it. */
const MANUAL = { promotion: { strategy: 'manual' }, from: ['dev'] }

const epochs = (story: PipelineStory, environment: string) =>
  story.promotions(environment).map((p) => p.spec.epoch)
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

describe('of promotions', () => {
  it('each environment keeps its last 20, and the newest that has succeeded', async () => {
    const story = await PipelineStory.open('retention')
    for (const e of ['dev', 'staging', 'prod']) await story.runs(e, '1.0.0')
    await story.pipeline({ dev: {}, staging: {}, prod: MANUAL })
    const are = (epoch: number, phase: string) => () =>
      ['staging', 'prod'].every((e) => story.last(e)?.spec.epoch === epoch) &&
      [story.phase('staging'), story.phase('prod')].join() === `${phase},Succeeded`
    expect(await story.until(are(1, 'Succeeded'))).toBe(true)
    await story.pipeline({ dev: {}, staging: VAIN, prod: MANUAL })
    for (let n = 2; n <= 26; n++) {
      await story.runs('dev', `${n}.0.0`)
      // Brought there before it is due it would be held.
      expect(await story.until(() => story.last('prod')?.spec.epoch === n, 90)).toBe(true)
      await story.runs('prod', `${n}.0.0`)
      expect(await story.until(are(n, 'Failed'), 90), `${n}`).toBe(true)
    }
    expect(epochs(story, 'staging')).toEqual([1, ...from(7, 26)])
    expect(story.promotions('staging')[0]!.status?.phase).toBe('Succeeded')
    expect(epochs(story, 'prod')).toEqual(from(7, 26))
  })
})
