/** Bugs that were planted and that no other test found. */
import { expect, it } from 'vitest'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { InventoryStory } from './inventorystory.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

it('M16 conflicts: Fail takes no field of another manager', async () => {
  const story = await Story.begin('seeded conflicts', ['edge'])
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web', { apply: { conflicts: 'Fail', drift: 'Observe' } })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const { client } = story.fleet.clusters.get('edge')!
  const metadata = { name: 'web', namespace: 'default' }
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: 'theirs' } }
  must(await story.during(client.apply(configMapKind, theirs, { ...USER, manager: 'them', force: true })))
  await story.config('web', configManifest('web', '2'))
  const isRefused = () => story.blockers('web').join().includes('ApplyConflict')
  expect(await story.until(isRefused, 60), story.blockers('web').join('\n')).toBe(true)
  await story.pass(60)
  expect(story.live('edge', 'configmaps', 'web')).toMatchObject({ data: { value: 'theirs' } })
})

it('M26 a Module that is deleted while its cluster is paused deletes nothing there', async () => {
  const story = await Story.begin('seeded pause', ['edge'])
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const from = story.fleet.commits.length
  const paused = { metadata: { annotations: { 'lockstep.dev/paused': 'true' } } }
  const key = { namespace: NAMESPACE, name: 'edge' }
  must(await story.during(story.fleet.hub.patch(secretKind, key, paused, USER)))
  await story.pass(10)
  await story.deleteModule('web')
  await story.pass(120)
  expect(story.writes('edge', from)).toEqual([])
  expect(story.live('edge', 'configmaps', 'web')).toBeDefined()
})

it('M27 a new Module writes nothing where the kubeconfig of a known cluster leads to another one', async () => {
  const story = await InventoryStory.open('seeded identity', ['c0', 'c9'])
  const kind = await story.installClusterApi()
  await story.cluster(kind, 'c0')
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  await story.kubeconfig('c0', 'c9')
  await story.pass(30)
  await story.config('second', configManifest('second', '1'))
  await story.module('second', 'second')
  await story.pass(120)
  expect(story.writes('c9')).toEqual([])
})
