/** A stored bundle that is not what it was. */
import { expect, it } from 'vitest'
import { configMapKind, type Secret, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { short10 } from '../../packages/kube/src/object/index.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const

it('keeps its units waiting, and lets them go on as soon as it is put right', async () => {
  const story = await Story.begin('damaged', ['c1', 'c2'])
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
  const { hub } = story.fleet
  const key = { namespace: NAMESPACE, name: `lockstep-bundle-${short10(story.see('web').status!.bundle!)}-0` }
  const { metadata, ...saved } = must(await story.during(hub.get(secretKind, key, USER)))
  const { labels, annotations } = metadata
  const store = async (data: Secret['data']): Promise<void> => {
    must(await story.during(hub.delete(secretKind, key, USER)))
    const body = { ...saved, metadata: { ...key, labels, annotations }, data } as Secret
    must(await story.during(hub.create(secretKind, body, USER)))
  }
  story.manager.stop()
  await store({ ...saved.data, data: 'b3RoZXI=' })
  const client = story.fleet.clusters.get('c1')!.client
  must(await story.during(client.delete(configMapKind, { namespace: 'default', name: 'web' }, USER)))
  const from = story.fleet.commits.length
  story.manager = story.fleet.startController()
  await story.pass(60)
  for (const c of ['c1', 'c2'])
    expect(story.inventory('web', c)?.status?.blockers?.[0]).toMatchObject({ reason: 'BundleCorrupt' })
  expect(story.blockers('web')[0]).toContain('has other content than its digest')
  expect(story.writes('c1', from)).toEqual([])
  await store(saved.data)
  expect(await story.until(() => story.isReady('web'), 5)).toBe(true)
  expect(story.writes('c1', from)).toEqual(['create configmaps default/web'])
  expect(story.writes('c2', from)).toEqual([])
})
