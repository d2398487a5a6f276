/** A file that cannot be edited fails its promotion with the place; once it is corrected, a request promotes the revision. */
import { expect, it } from 'vitest'
import { appFile, PipelineStory } from './pipelinestory.ts'

const PATH = 'apps/staging.yaml'
const MARKER = '# {"$promotion": "platform:podinfo:staging"}'

it.each([
  [
    'EditRefused',
    `a: 1\na: 1.0.0 ${MARKER}\n`,
    `${PATH}:2:1 in o/r@main: duplicated mapping key; correct it`,
  ],
  [
    'PromotionTargetAmbiguous',
    `a: &x 1.0.0 ${MARKER}\nb: *x\n`,
    `${PATH}:1:7 in o/r@main: anchor &x is used at 2:4 too; write the value out there`,
  ],
])('%s', async (reason, text, message) => {
  const story = await PipelineStory.open(`refused edit ${reason}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion: { pullRequest: { autoMerge: true } } } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.during(story.repository.push('main', { [PATH]: text }, 'broken'))
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => story.phase('staging') === 'Failed', 300)).toBe(true)
  expect(story.last('staging')!.status).toMatchObject({ reason, message })
  await story.pass(600)
  expect(story.promotions('staging').map((p) => p.spec.epoch)).toEqual([1, 2])
  await story.during(story.repository.push('main', { [PATH]: appFile('staging', '1.0.0') }, 'corrected'))
  await story.ask('staging', 'again')
  expect(await story.until(() => story.phase('staging') === 'Converging', 60)).toBe(true)
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 60)).toBe(true)
  expect(story.last('staging')!.spec).toMatchObject({ epoch: 3, revision: '2.0.0' })
  expect(story.environment('staging')?.blockers ?? []).toEqual([])
})
