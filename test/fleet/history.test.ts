/** What the history of a module says of each revision. */
import { expect, it } from 'vitest'
import { PUBLISHED_BY_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

it('who has changed the spec; of what changed beside it nobody is named', async () => {
  const story = await Story.begin('published by', ['edge'])
  const writers = () =>
    [...story.manager.hub.revisions.store.by('module', `Module/${NAMESPACE}/web`)]
      .sort((a, b) => a.number - b.number)
      .map((r) => r.stored.annotations?.[PUBLISHED_BY_ANNOTATION])
  const published = (n: number) => story.until(() => story.isReady('web') && writers().length === n)
  await story.config('v1', configManifest('web', '1'))
  await story.module('web', 'v1')
  expect(await published(1)).toBe(true)
  await story.config('v1', configManifest('web', '2'))
  expect(await published(2)).toBe(true)
  await story.module('web', 'v1', { apply: { prune: false } })
  expect(await published(3)).toBe(true)
  expect(writers()).toEqual(['user', undefined, 'user'])
})
