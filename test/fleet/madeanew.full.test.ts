/** A module is deleted, and another one of its name comes while it goes. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

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
      '2 objects remain (ConfigMap default/w and ConfigMap default/x); FinalizerPending: ConfigMap default/x is terminating: example.com/slow'
    expect(story.blockers('web')).toEqual([
      `PreviousModuleRemoving: waiting for the previous Module web to be removed from c0: ${left}`,
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
