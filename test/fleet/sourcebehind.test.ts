/** A source that moves under a frozen release: the Module stays ready, does not deliver it, and warns until the release is raised. */
import { expect, it } from 'vitest'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { clientOf } from './simfleet.ts'
import { SimSources } from './simsources.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTER = ['c1']
const GIT = { git: { url: 'https://git.test/p', path: 'app', ref: { branch: 'main' } } }

const conditionOf = (story: Story, type: string) =>
  story.see('web').status?.conditions?.find((c) => c.type === type)
const delivered = (story: Story): unknown =>
  (story.live('c1', 'configmaps', 'a')?.data as { value?: string } | undefined)?.value
const revisions = (story: Story): number =>
  story.fleet.commits.filter((c) => c.resource === 'controllerrevisions.apps' && c.verb === 'create').length

it('a branch that moves', async () => {
  const story = await Story.begin('behind git', CLUSTER)
  story.manager.stop()
  const sources = new SimSources()
  const { env } = story.fleet
  const start = () => {
    story.manager = startManager(env, clientOf(env, 'hub', 'lockstep-controller'), { sources: sources.open })
  }
  start()
  sources.push('app', configManifest('a', '1'))
  await story.module('web', GIT, { release: '1' })
  expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
  expect(conditionOf(story, 'SourceBehind')).toBeUndefined()
  sources.push('app', configManifest('a', '2'))
  expect(await story.until(() => conditionOf(story, 'SourceBehind') !== undefined, 10)).toBe(true)
  const said = conditionOf(story, 'SourceBehind')
  expect(said).toMatchObject({
    status: 'True',
    reason: 'SourceBehind',
    message: expect.stringMatching(
      /^branch main has moved to [0-9a-f]{7}; release 1 is frozen at [0-9a-f]{7}: raise spec.release to deliver it$/,
    ),
  })
  await story.pass(120)
  expect([conditionOf(story, 'Ready')?.status, delivered(story), revisions(story)]).toEqual(['True', '1', 1])
  // A restart says nothing else, and the next push names the new commit.
  story.manager.stop()
  start()
  await story.pass(30)
  expect(conditionOf(story, 'SourceBehind')).toEqual(said)
  sources.push('app', configManifest('a', '3'))
  await story.pass(10)
  expect(conditionOf(story, 'SourceBehind')?.message).not.toBe(said?.message)
  await story.module('web', GIT, { release: '2' })
  expect(await story.until(() => delivered(story) === '3' && story.isReady('web', '2'), 60)).toBe(true)
  expect(conditionOf(story, 'SourceBehind')).toBeUndefined()
  expect(story.fleet.oracles.violations).toEqual([])
})

it('a ConfigMap that is edited, and edited back', async () => {
  const story = await Story.begin('behind ConfigMap', CLUSTER)
  await story.config('web', configManifest('a', '1'))
  await story.module('web', 'web', { release: '1' })
  expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
  await story.config('web', configManifest('a', '2'))
  await story.pass(30)
  expect(conditionOf(story, 'SourceBehind')?.message).toBe(
    'ConfigMap web changed; release 1 is frozen: raise spec.release to deliver it',
  )
  expect([conditionOf(story, 'Ready')?.status, delivered(story), revisions(story)]).toEqual(['True', '1', 1])
  await story.config('web', configManifest('a', '1'))
  await story.pass(30)
  expect(conditionOf(story, 'SourceBehind')).toBeUndefined()
  expect(story.fleet.oracles.violations).toEqual([])
})
