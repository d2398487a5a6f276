/** A module is deleted, and a cluster that has it cannot be reached; or another one of its name comes while it goes. */
import { describe, expect, it } from 'vitest'
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

/** Somebody takes our finalizer off, so that a module is gone at once; its units are not. */
const tearOff = async (story: Story, name: string): Promise<void> => {
  const key = { namespace: NAMESPACE, name }
  must(await story.during(story.fleet.hub.patch(moduleKind, key, { metadata: { finalizers: null } }, USER)))
}

const slowly = async (story: Story, name: string, finalizers: string[] | null): Promise<void> => {
  const edge = story.fleet.clusters.get('c0')!.client
  const key = { namespace: 'default', name }
  must(await story.during(edge.patch(configMapKind, key, { metadata: { finalizers } }, USER)))
}

const deletesOf = (story: Story, key: string, uid: string | undefined) =>
  story.fleet.commits.filter(
    (c) => c.cluster === 'c0' && c.key === key && c.verb === 'delete' && c.uid === uid,
  )

const MAP = (name: string, more = '') =>
  configManifest(name, '1').replace('namespace: default}', `namespace: default${more}}`)

describe('made anew under its name while the old one goes', () => {
  it('nothing of the new one is deleted; it says whom it waits for, and what is left of that', async () => {
    const story = await Story.begin('made anew', ['c0'])
    // x goes first, w after it.
    const after = ', annotations: {lockstep.dev/depends-on: "/namespaces/default/ConfigMap/w"}'
    await story.config('web', `${MAP('w')}---\n${MAP('x', after)}`)
    await story.module('web', 'web')
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await slowly(story, 'x', ['example.com/slow'])
    const old = story.live('c0', 'configmaps', 'x')!.metadata.uid
    await story.deleteModule('web')
    await story.pass(10)
    expect(story.live('c0', 'configmaps', 'x')!.metadata.deletionTimestamp).toBeDefined()
    await tearOff(story, 'web')
    await story.module('web', 'web', { apply: { deletionPolicy: 'Orphan' } })
    await story.pass(30)
    const left =
      '2 objects left (ConfigMap default/w, ConfigMap default/x); FinalizerPending: example.com/slow on ConfigMap default/x'
    expect(story.blockers('web')).toEqual([
      `PreviousOwnerLeaving: c0: the Module web that was deleted before this one was made still leaves: ${left}`,
    ])
    // What the former one was to do with its objects is not the new one's to say.
    await slowly(story, 'x', null)
    expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
    const now = story.live('c0', 'configmaps', 'x')!
    expect([now.metadata.uid === old, now.metadata.deletionTimestamp]).toEqual([false, undefined])
    expect(story.writes('c0').filter((w) => w.startsWith('delete'))).toEqual([
      'delete configmaps default/x',
      'delete configmaps default/w',
    ])
    for (const name of ['x', 'w'])
      expect(deletesOf(story, `default/${name}`, story.live('c0', 'configmaps', name)!.metadata.uid)).toEqual(
        [],
      )
    expect(story.blockers('web')).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('before anything of the old one was told to leave: the new one takes over what is there, as its own', async () => {
    const story = await Story.begin('taken over', ['c0'])
    await story.config('web', `${MAP('x')}---\n${MAP('w')}`)
    await story.module('web', 'web')
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const { uid } = story.live('c0', 'configmaps', 'x')!.metadata
    story.manager.stop()
    await story.deleteModule('web')
    await tearOff(story, 'web')
    await story.config('web', MAP('x'))
    await story.module('web', 'web')
    story.manager = story.fleet.startController()
    expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
    expect(story.live('c0', 'configmaps', 'x')!.metadata.uid).toBe(uid)
    expect(story.live('c0', 'configmaps', 'w')).toBeUndefined()
    expect(story.inventory('web', 'c0')!.spec.moduleRef.uid).toBe(story.see('web').metadata.uid)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
