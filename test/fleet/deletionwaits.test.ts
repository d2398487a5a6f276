/** A module is deleted, and a cluster that has it cannot be reached; or another one of its name comes while it goes. */
import { expect, it } from 'vitest'
import { configMapKind, secretKind } from '../../src/api/kinds/foreign.ts'
import { moduleKind } from '../../src/api/registry.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = Array.from({ length: 10 }, (_, i) => `c${i}`)
const LOST = 'c9'
const REPLACE = { rollout: { strategy: 'Replace' } }

const having = (story: Story, name: string): string[] =>
  CLUSTERS.filter((c) => story.live(c, 'configmaps', name) !== undefined)
const isThere = (story: Story, name: string): boolean =>
  story.manager.hub.modules.store.get({ namespace: NAMESPACE, name }) !== undefined

it('the others go in reverse order, it says for whom it waits, and given up that one keeps what it has', async () => {
  const story = await Story.begin('deletion waits', CLUSTERS)
  for (const m of ['web', 'dep']) await story.config(m, configManifest(m, '1'))
  await story.module('web', 'web', REPLACE)
  await story.module('dep', 'dep', { ...REPLACE, dependsOn: ['web'] })
  expect(await story.until(() => story.isReady('web') && story.isReady('dep'))).toBe(true)
  story.fleet.env.net.unserve(`https://${LOST}.test`)
  await story.pass(180)
  const from = story.fleet.commits.length
  for (const m of ['web', 'dep']) await story.deleteModule(m)
  await story.pass(300)
  expect([having(story, 'web'), having(story, 'dep')]).toEqual([[LOST], [LOST]])
  for (const c of CLUSTERS.slice(0, 9))
    expect(story.writes(c, from)).toEqual(['delete configmaps default/dep', 'delete configmaps default/web'])
  expect(story.blockers('dep')[0]).toBe(
    `DeletionWaits: 1 clusters cannot be worked on (${LOST}): bring them back`,
  )
  // Somebody gives it up.
  must(await story.during(story.fleet.hub.delete(secretKind, { namespace: NAMESPACE, name: LOST }, USER)))
  expect(await story.until(() => !isThere(story, 'dep') && !isThere(story, 'web'), 300)).toBe(true)
  expect([having(story, 'web'), having(story, 'dep')]).toEqual([[LOST], [LOST]])
  expect(story.fleet.oracles.violations).toEqual([])
})

it('made anew under its name while the old one goes: nothing of the new one is deleted', async () => {
  const story = await Story.begin('made anew', ['c0'])
  await story.config('web', configManifest('x', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const edge = story.fleet.clusters.get('c0')!.client
  const x = { namespace: 'default', name: 'x' }
  const held = (finalizers: string[] | null) =>
    story.during(edge.patch(configMapKind, x, { metadata: { finalizers } }, USER))
  must(await held(['example.com/slow']))
  const old = story.live('c0', 'configmaps', 'x')!.metadata.uid
  await story.deleteModule('web')
  await story.pass(10)
  expect(story.live('c0', 'configmaps', 'x')!.metadata.deletionTimestamp).toBeDefined()
  // Somebody takes our finalizer off, so that the old one is gone at once, and makes another one.
  const web = { namespace: NAMESPACE, name: 'web' }
  must(await story.during(story.fleet.hub.patch(moduleKind, web, { metadata: { finalizers: null } }, USER)))
  await story.module('web', 'web')
  await story.pass(30)
  must(await held(null))
  expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
  const now = story.live('c0', 'configmaps', 'x')!
  expect([now.metadata.uid === old, now.metadata.deletionTimestamp]).toEqual([false, undefined])
  const deletes = story.fleet.commits.filter(
    (c) => c.cluster === 'c0' && c.key === 'default/x' && c.verb === 'delete' && c.uid === now.metadata.uid,
  )
  expect(deletes).toEqual([])
  expect(story.fleet.oracles.violations).toEqual([])
})
