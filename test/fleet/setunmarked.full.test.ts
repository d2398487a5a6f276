/** Objects of ClusterResourceSets that somebody has taken our label off, and what is left to be done where a set lets go. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import {
  BUCKET_LABEL,
  INVENTORY_ANNOTATION,
  INVENTORY_FINALIZER,
  UNIT_LABEL,
} from '../../packages/lockstep/src/api/labels.ts'
import { bucketOf } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { config, continuous, convergedOf, isInSync, moduleOf, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { must, NAMESPACE } from './simfleet.ts'

const UNLABELLED = { metadata: { labels: { [UNIT_LABEL]: null } } }
const PAUSED = { [SET.paused]: 'true' }

const opened = async (name: string, strategy: object): Promise<SetStory> => {
  const story = await SetStory.open(name, ['c1'])
  await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
  await story.set('crs1', sources('a'), strategy)
  expect(await story.until(() => story.isApplied('crs1', ['c1']), 60)).toBe(true)
  return story
}

const marksOf = (story: SetStory, name: string) => {
  const { labels = {}, annotations = {} } = story.live('c1', 'configmaps', name)!.metadata
  return [labels[UNIT_LABEL], annotations[INVENTORY_ANNOTATION]]
}

/** Nothing puts it back: the set is paused. */
async function unlabel(story: SetStory, settings: object): Promise<void> {
  await story.set('crs1', sources('a'), settings)
  await story.pass(5)
  await story.editOn('c1', configMapKind, 'x', UNLABELLED)
  await story.pass(5)
  expect(marksOf(story, 'x')).toEqual([undefined, expect.any(String)])
}

describe('an object without our label', () => {
  it.each(['Orphan', 'Delete'])('keeps no mark of a set that is deleted (%s)', async (policy) => {
    const settings = { [SET.deletionPolicy]: policy }
    const story = await opened(`unlabelled-${policy}`, continuous(settings))
    await unlabel(story, continuous({ ...settings, ...PAUSED }))
    await story.removeSet('crs1')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
    // What has not our mark is not deleted.
    expect(marksOf(story, 'x')).toEqual([undefined, undefined])
    expect(valueOn(story, 'c1', 'y')).toBe(policy === 'Orphan' ? '1' : undefined)
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
  })

  it('is the set’s own all the same, where that becomes Continuous', async () => {
    const story = await opened('unlabelled-mode', { strategy: 'Reconcile' })
    await unlabel(story, { strategy: 'Reconcile' })
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    expect(marksOf(story, 'x')[0]).toBe(`m.${NAMESPACE}.crs-crs1`)
  })

  it('is still that of the set whose Inventory it names', async () => {
    const story = await opened('unlabelled-other', continuous())
    await unlabel(story, continuous(PAUSED))
    const before = marksOf(story, 'x')
    await story.source('b', { 'b.yaml': yaml(config('x', '2')) })
    await story.set('crs2', sources('b'), continuous())
    const said = () => convergedOf(story, 'crs2')
    expect(await story.until(() => said().includes('OwnedByAnother'), 60)).toBe(true)
    expect(said()).toContain('belongs to ClusterResourceSet platform/crs1')
    expect([valueOn(story, 'c1', 'x'), marksOf(story, 'x')]).toEqual(['1', before])
    await story.set('crs2', sources('b'), continuous({ [SET.takeOverFrom]: 'crs1' }))
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '2', 60)).toBe(true)
  })

  it('and with the mark of an Inventory that is not on this hub is nobody’s', async () => {
    const story = await SetStory.open('unlabelled-nobody', ['c1'])
    const annotations = { [INVENTORY_ANNOTATION]: '00000000-0000-4000-8000-000000000000' }
    const found = { ...config('x', 'found'), metadata: { name: 'x', namespace: 'default', annotations } }
    await story.createOn('c1', configMapKind, found as KubeObject)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous({ [SET.existing]: 'Fail' }))
    const said = () => convergedOf(story)
    expect(await story.until(() => said().includes('AdoptionRefused'), 60)).toBe(true)
    expect(valueOn(story, 'c1', 'x')).toBe('found')
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    expect(valueOn(story, 'c1', 'x')).toBe('1')
  })
})

describe('a cluster that was given up when its set became another mode', () => {
  it('keeps no mark of that once it is back and something is to be written', async () => {
    const story = await opened('given-up', continuous())
    let isAway = true
    story.fleet.env.net.cut('https://c1.test')
    story.fleet.env.net.wire('https://c1.test', {
      before: async () => (isAway ? { phase: 'connect', detail: 'connect ETIMEDOUT' } : undefined),
    })
    await story.pass(30)
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => moduleOf(story) === undefined, 120)).toBe(true)
    expect(marksOf(story, 'x')).toEqual([`m.${NAMESPACE}.crs-crs1`, expect.any(String)])
    isAway = false
    await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '2', 120)).toBe(true)
    expect(marksOf(story, 'x')[0]).toBe(`s.${NAMESPACE}.crs1`)
    // It is in no source any more: nobody else would take it off.
    expect([...marksOf(story, 'y'), valueOn(story, 'c1', 'y')]).toEqual([undefined, undefined, '1'])
    expect(story.fleet.inventories().map((i) => i.metadata.name)).toEqual(['s.crs1.c1'])
  })
})

describe('a set that becomes another mode', () => {
  it('says what its Module cannot let go of, and on which cluster', async () => {
    const story = await opened('mode-held', continuous())
    const { api } = story.fleet.clusters.get('c1')!
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' }
    const body = JSON.stringify({ ...status, message: 'admission webhook "no.test" denied the request' })
    const headers = { 'content-type': 'application/json' }
    story.fleet.env.net.serve('https://c1.test', async (request) =>
      request.method === 'PATCH' ? { status: 403, headers, body } : api.handle(request),
    )
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
    const said = () => story.said('crs1')
    expect(await story.until(() => said().includes('c1 (PruneBlocked: '), 60)).toBe(true)
    expect(said()).toContain('admission webhook "no.test" denied the request')
    story.fleet.env.net.serve('https://c1.test', (request) => api.handle(request))
    expect(await story.until(() => story.said('crs1').startsWith('True/'), 600)).toBe(true)
  })
})

describe('a cluster that leaves a set', () => {
  it('goes on with that once the set is deleted', async () => {
    const story = await opened('leaves-both', continuous({ [SET.prune]: 'true' }))
    await story.editOn('c1', configMapKind, 'x', { metadata: { finalizers: ['example.com/wait'] } })
    await story.label('c1', { env: 'dev' })
    const isLeaving = () => story.live('c1', 'configmaps', 'x')?.metadata.deletionTimestamp !== undefined
    expect(await story.until(isLeaving, 60)).toBe(true)
    await story.removeSet('crs1')
    await story.pass(30)
    expect(story.seeSet('crs1')).toBeDefined()
    await story.editOn('c1', configMapKind, 'x', { metadata: { finalizers: null } })
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
    expect(story.fleet.inventories()).toEqual([])
  })
})

const OBJECT = {
  group: '',
  kind: 'ConfigMap',
  namespace: 'default',
  name: 'x',
  version: 'v1',
  uid: '00000000-0000-4000-8000-000000000002',
  content: 'v1:a',
  fields: 'v1:a',
  level: 0,
}

describe('what a process has left half done that died while it set aside what an earlier cluster had', () => {
  it('is finished, though the set has no Module any more', async () => {
    const story = await opened('aside-half', continuous())
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => moduleOf(story) === undefined, 60)).toBe(true)
    const clusterUid = '00000000-0000-4000-8000-000000000000'
    const left = {
      apiVersion: API_VERSION,
      kind: inventoryKind.kind,
      metadata: {
        name: 'm.crs-crs1.c1',
        namespace: NAMESPACE,
        finalizers: [INVENTORY_FINALIZER],
        labels: { [BUCKET_LABEL]: bucketOf(NAMESPACE, 'c1') },
      },
      spec: {
        moduleRef: { kind: 'Module', name: 'crs-crs1', uid: '00000000-0000-4000-8000-000000000001' },
        clusterRef: { kind: 'ClusterAPI', name: 'c1' },
        clusterUid,
        objects: [OBJECT],
      },
    }
    must(
      await story.during(
        story.fleet.hub.create(inventoryKind, left as never, { purpose: 'user', manager: 'user' }),
      ),
    )
    await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '2', 60)).toBe(true)
    const names = story.fleet.inventories().map((i) => i.metadata.name)
    expect(names.sort()).toEqual([`m.crs-crs1.c1.${clusterUid.slice(0, 8)}`, 's.crs1.c1'])
  })
})
