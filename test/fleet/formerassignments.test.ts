/** Units that an earlier version assigned in RemoteAssemblages: no write to their clusters, and the next release is deployed. */
import { expect, it } from 'vitest'
import { at } from '../../packages/kube/src/object/index.ts'
import { inventoryKind, remoteAssemblageKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'former', precondition: 'any' } as const
const CLUSTERS = ['c1', 'c2']

/** Stores assignments as the former version did. */
async function asFormer(story: Story): Promise<void> {
  const { hub } = story.fleet
  for (const name of CLUSTERS) {
    const { revision, bundle } = story.assigned('web', name)!
    const unit = { namespace: NAMESPACE, name: `m.web.${name}` }
    must(await story.during(hub.patch(inventoryKind, unit, { spec: { assigned: null } }, USER)))
    const syncs = [{ kind: 'Module', name: 'web', revision, bundle, serial: 1 }]
    const key = { namespace: NAMESPACE, name }
    must(await story.during(hub.patch(remoteAssemblageKind, key, { spec: { syncs } }, USER)))
  }
}

it('are ready without a write, lose the former assignments, and get the next release', async () => {
  const story = await Story.begin('former', CLUSTERS)
  await story.config('v1', configManifest('web', '1'))
  await story.config('v2', configManifest('web', '2'))
  await story.module('web', 'v1')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  story.manager.stop()
  await asFormer(story)
  const from = story.fleet.commits.length
  story.manager = story.fleet.startController()
  await story.pass(60)
  expect(CLUSTERS.flatMap((c) => story.writes(c, from))).toEqual([])
  expect(story.isReady('web')).toBe(true)
  expect(story.fleet.objects('remoteassemblages.lockstep.dev').map((a) => at(a, 'spec', 'syncs'))).toEqual([
    undefined,
    undefined,
  ])
  await story.module('web', 'v2')
  const isNew = () => CLUSTERS.every((c) => at(story.live(c, 'configmaps', 'web'), 'data', 'value') === '2')
  expect(await story.until(() => isNew() && story.isReady('web'))).toBe(true)
  expect(CLUSTERS.map((c) => story.assigned('web', c)?.serial)).toEqual([1, 1])
  await story.deleteModule('web')
  expect(await story.until(() => story.inventories.length === 0)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})
