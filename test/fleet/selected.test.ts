/** A module on every cluster of its namespace, and another one beside it. */
import { expect, it } from 'vitest'
import { encodeJson } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { type RemoteAssemblage, remoteAssemblageKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { recordManager } from '../../packages/lockstep/src/api/labels.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = ['c0', 'c1', 'c2']

const assemblageOf = async (story: Story, name: string): Promise<Stored<RemoteAssemblage>> =>
  must(await story.during(story.fleet.hub.get(remoteAssemblageKind, { namespace: NAMESPACE, name }, USER)))

it('a record and an Inventory on each; another module adds its own, and changes nothing of the first', async () => {
  const story = await Story.begin('each', CLUSTERS)
  for (const m of ['web', 'api']) await story.config(m, configManifest(m, '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const { uid } = story.see('web').metadata
  const seen = async () => {
    const all = await Promise.all(CLUSTERS.map((c) => assemblageOf(story, c)))
    return all.map(({ spec, metadata }) => ({
      record: encodeJson(spec.syncs?.find((s) => s.name === 'web')),
      managed: encodeJson(metadata.managedFields?.filter((f) => f.manager === recordManager(uid))),
    }))
  }
  const before = await seen()
  expect(before.map(({ record }) => JSON.parse(record))).toMatchObject(
    CLUSTERS.map(() => ({ kind: 'Module', name: 'web', uid, serial: 1 })),
  )
  expect(story.inventories.map((i) => i.metadata.name).sort()).toEqual(CLUSTERS.map((c) => `m.web.${c}`))
  await story.pass(5)
  await story.module('api', 'api')
  expect(await story.until(() => story.isReady('api'))).toBe(true)
  for (const c of CLUSTERS)
    expect((await assemblageOf(story, c)).spec.syncs?.map((s) => s.name).sort()).toEqual(['api', 'web'])
  expect(await seen()).toEqual(before)
  expect(story.inventories).toHaveLength(6)
})
