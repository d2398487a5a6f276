/** A module on every cluster of its namespace, and others beside it. */
import { expect, it } from 'vitest'
import { at, encodeJson, isArray } from '../../packages/kube/src/object/index.ts'
import { TIER } from '../tier.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = ['c0', 'c1', 'c2']
const ASSEMBLAGES = 'remoteassemblages.lockstep.dev'

it('an assignment on each, in its Inventory; another module changes nothing of the first', async () => {
  const story = await Story.begin('each', CLUSTERS)
  for (const m of ['web', 'api']) await story.config(m, configManifest(m, '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const { uid } = story.see('web').metadata
  const seen = () => CLUSTERS.map((c) => story.assigned('web', c))
  const before = seen()
  expect(before).toMatchObject(CLUSTERS.map(() => ({ uid, serial: 1 })))
  expect(story.inventories.map((i) => i.metadata.name).sort()).toEqual(CLUSTERS.map((c) => `m.web.${c}`))
  await story.pass(5)
  await story.module('api', 'api')
  expect(await story.until(() => story.isReady('api'))).toBe(true)
  expect(seen()).toEqual(before)
  expect(story.inventories).toHaveLength(6)
})

it.skipIf(TIER === 'short')(
  'assigning 30 modules to a cluster writes no object that they share, and its status lists them all',
  async () => {
    const story = await Story.begin('many', ['c0'])
    const names = Array.from({ length: 30 }, (_, i) => `m${i}`)
    for (const m of names) await story.config(m, configManifest(m, '1'))
    await Promise.all(names.map((m) => story.module(m, m)))
    expect(await story.until(() => names.every((m) => story.isReady(m)))).toBe(true)
    await story.pass(5)
    const written = story.fleet.commits.filter((c) => c.resource === ASSEMBLAGES)
    expect(new Set(written.map((c) => c.next?.metadata.generation))).toEqual(new Set([1]))
    expect(written.length).toBeLessThan(10)
    const [assemblage] = story.fleet.objects(ASSEMBLAGES)
    expect(at(assemblage, 'spec', 'syncs')).toBeUndefined()
    const listed = at(assemblage, 'status', 'syncs')
    expect([at(assemblage, 'status', 'ready'), isArray(listed) && listed.length]).toEqual(['30/30', 30])
    expect(encodeJson(story.assigned('m7', 'c0'))).toContain(story.see('m7').status!.currentRevision)
  },
)
