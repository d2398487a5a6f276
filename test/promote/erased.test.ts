/** The status of a Promotion that has succeeded is erased, or was not restored with it. */
import { describe, expect, it } from 'vitest'
import { promotionKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { must } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'

describe('a Promotion without its status, which something newer has followed', () => {
  it.each([
    ['waits', { approval: 'Required' }, 'Pending'],
    ['is on its way', {}, 'Converging'],
  ])('has succeeded all the same where that %s', async (_, o, phase) => {
    const story = await PipelineStory.open(`erased/${phase}`)
    const put = (more: object) =>
      story.pipeline({ dev: {}, staging: { promotion: { strategy: 'manual', ...more } } })
    for (const environment of ['dev', 'staging']) await story.runs(environment, '1.0.0')
    await put({})
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    const done = story.last('staging')!
    await put(o)
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '3.0.0')).toBe(true)
    await story.pass(200)
    const now = must(
      await story.during(story.fleet.hub.get(promotionKind, done.metadata as never, { purpose: 'user' })),
    )
    const write = { purpose: 'user', manager: 'user', precondition: 'any', subresource: 'status' } as const
    must(await story.during(story.fleet.hub.update(promotionKind, { ...now, status: {} } as never, write)))
    await story.pass(300)
    expect(story.promotions('staging').map((p) => `${p.spec.revision} ${p.status?.phase}`)).toEqual([
      ...['1.0.0 Succeeded', '2.0.0 Succeeded', `3.0.0 ${phase}`],
    ])
    expect([story.environment('staging')?.promoted, story.holds()]).toEqual(['2.0.0', []])
  })
})
