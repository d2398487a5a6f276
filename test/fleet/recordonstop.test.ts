/** A process that stops in the middle of a pass records the applied objects, and its successor does not apply them again. */
import { expect, it } from 'vitest'
import { auditedHandler } from '../audit/auditentry.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

it('nothing is applied twice by two processes, one after the other', async () => {
  const story = await Story.begin('record-on-stop', ['c1'])
  const applied: string[] = []
  const handle = auditedHandler(story.fleet.clusters.get('c1')!.api.handle, ({ verb, resource, name }) => {
    if (verb === 'patch') applied.push(`${resource} ${name}`)
  })
  story.fleet.env.net.serve('https://c1.test', handle)
  const put = (version: string) =>
    story.config(
      'web',
      [configManifest('web', version), deploymentManifest('web', `web:${version}`)].join('---\n'),
    )
  await put('1')
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  applied.length = 0
  await put('2')
  // The new Pods are not ready yet: the pass is not over.
  expect(await story.until(() => applied.length === 2)).toBe(true)
  expect(story.isReady('web')).toBe(false)
  story.manager.drain()
  await story.during(story.manager.record())
  story.restart()
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  expect(applied.sort()).toEqual(['configmaps web', 'deployments web'])
})
