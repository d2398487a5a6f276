/** What somebody takes back at the base before it is known to be there, while something newer waits already. */
import { expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

it('is held before what is newer begins', async () => {
  const story = await PipelineStory.open('tookback')
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion: {} } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
  const { to } = story.repository.journal.changes.at(-1)!
  await story.during(story.repository.revert(to!))
  await story.runs('dev', '3.0.0')
  await story.pass(900)
  const moves = story.promotions('staging').map((p) => `${p.spec.revision} ${p.status?.phase}`)
  expect(moves).toEqual(['1.0.0 Succeeded', '2.0.0 Failed', '3.0.0 Pending'])
  expect(story.promotions('staging')[1]!.status?.reason).toBe('RevertedAtBase')
  expect([story.waits('staging'), story.holds().map((h) => h.metadata.name)]).toEqual([
    ['Held'],
    ['podinfo-staging-2-reverted'],
  ])
  await story.dropHolds()
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  await story.pass(120)
  expect(story.holds()).toEqual([])
})
