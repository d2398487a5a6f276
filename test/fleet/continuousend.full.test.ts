/** ClusterResourceSets that are Continuous, at their end and over what happens to their hub: nothing is lost that nobody gave up. */
import { describe, expect, it } from 'vitest'
import type { ApiServer } from '../../packages/apiserver/src/server/index.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { DELETE_FOR_MOVE, SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { kubeSystemOf } from './inventorystory.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { NAMESPACE } from './simfleet.ts'

const CLUSTERS = ['c1', 'c2', 'c3']
const DELETE = { [SET.deletionPolicy]: 'Delete', [SET.maxUnavailable]: '100%' }

const config = (name: string, v = '1') => manifest('ConfigMap', name, { data: { v } })
const valueOn = (story: SetStory, cluster: string, name: string): unknown =>
  (story.live(cluster, 'configmaps', name) as { data?: { v?: string } } | undefined)?.data?.v
const values = (story: SetStory, name = 'x') => CLUSTERS.map((c) => valueOn(story, c, name))

const isInSync = (story: SetStory) =>
  story.said('crs1', 'lockstep.dev/Converged').startsWith('True/InSync') &&
  story.said('crs1', 'Ready').startsWith('True/')

/** One set with two objects of one source, in sync on three clusters. */
async function inSync(name: string, annotations: Record<string, string> = DELETE): Promise<SetStory> {
  const story = await SetStory.open(name, CLUSTERS)
  await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
  await story.set('crs1', sources('a'), { strategy: 'Continuous', annotations })
  expect(await story.until(() => isInSync(story), 30)).toBe(true)
  return story
}

const change = (story: SetStory, annotations: Record<string, string>) =>
  story.set('crs1', sources('a'), { strategy: 'Continuous', annotations })

const moduleOf = (story: SetStory) =>
  story.manager.hub.modules.store.get({ namespace: NAMESPACE, name: 'crs-crs1' })

const isGone = (story: SetStory) => story.seeSet('crs1') === undefined

/** Nobody gets through to a cluster until what comes back is called. */
function away(story: SetStory, cluster: string): () => void {
  const { net } = story.fleet.env
  let isAway = true
  net.wire(`https://${cluster}.test`, {
    before: async () => (isAway ? { phase: 'connect', detail: 'connect ECONNREFUSED' } : undefined),
  })
  net.cut(`https://${cluster}.test`)
  return () => {
    isAway = false
  }
}

const records = (story: SetStory) => story.inventories.filter((i) => i.spec.assigned)

const sourceThere = async (story: SetStory): Promise<boolean> => {
  const key = { namespace: NAMESPACE, name: 'a' }
  return (await story.during(story.fleet.hub.get(configMapKind, key, { purpose: 'user' }))).ok
}

describe('deleted, and its objects with it', () => {
  it('a cluster out of reach holds it, and is named; once it is to leave its objects, it goes', async () => {
    const story = await inSync('continuous-unreachable')
    away(story, 'c3')
    await story.pass(120)
    await story.removeSet('crs1')
    expect(
      await story.until(() => story.said('crs1', 'Ready').startsWith('False/DeletionBlocked'), 120),
    ).toBe(true)
    expect(story.said('crs1', 'Ready')).toContain('c3')
    await story.pass(600)
    expect(values(story)).toEqual([undefined, undefined, '1'])
    expect(isGone(story)).toBe(false)
    expect(story.inventories.map((i) => i.spec.clusterRef.name)).toContain('c3')
    await change(story, { [SET.deletionPolicy]: 'Orphan' })
    expect(await story.until(() => isGone(story), 60)).toBe(true)
    await story.pass(60)
    expect(moduleOf(story)).toBeUndefined()
    // What was given up stays written down, for whoever finds it there.
    expect(story.inventories.map((i) => [i.spec.clusterRef.name, i.status?.state])).toEqual([
      ['c3', 'Orphaned'],
    ])
    expect(records(story)).toEqual([])
    expect(await sourceThere(story)).toBe(true)
    expect(values(story)).toEqual([undefined, undefined, '1'])
  })

  it('a cluster that comes back is cleaned, and the set goes', async () => {
    const story = await inSync('continuous-comesback')
    const back = away(story, 'c3')
    await story.pass(120)
    await story.removeSet('crs1')
    await story.pass(120)
    expect(isGone(story)).toBe(false)
    back()
    expect(await story.until(() => isGone(story), 180)).toBe(true)
    expect(values(story)).toEqual([undefined, undefined, undefined])
    expect(await sourceThere(story)).toBe(true)
  })

  it('a paused cluster gets no write, and holds it until it goes on', async () => {
    const story = await inSync('continuous-paused')
    await story.pause('c3', true)
    await story.pass(10)
    const from = story.fleet.commits.length
    await story.removeSet('crs1')
    await story.pass(300)
    expect(story.writes('c3', from)).toEqual([])
    expect(values(story)).toEqual([undefined, undefined, '1'])
    expect(isGone(story)).toBe(false)
    await story.pause('c3', false)
    expect(await story.until(() => isGone(story), 60)).toBe(true)
    expect(values(story)).toEqual([undefined, undefined, undefined])
  })

  it('what clusterctl has moved leaves the hub, and no cluster hears of it', async () => {
    const story = await inSync('continuous-moved')
    await story.pass(10)
    const from = story.fleet.commits.length
    await change(story, { ...DELETE, [DELETE_FOR_MOVE]: '' })
    await story.removeSet('crs1')
    expect(await story.until(() => isGone(story), 10)).toBe(true)
    await story.pass(600)
    const touched = CLUSTERS.map((c) => [story.writes(c, from), story.stamps(c, from)])
    expect(touched).toEqual([
      [[], []],
      [[], []],
      [[], []],
    ])
    expect(values(story)).toEqual(['1', '1', '1'])
    expect(moduleOf(story)).toBeUndefined()
    expect(story.inventories).toEqual([])
    expect(records(story)).toEqual([])
  })
})

describe('clusters that change under it', () => {
  const there = (api: ApiServer): unknown =>
    (api.local.get('configmaps', 'default', 'x') as { data?: { v?: string } } | undefined)?.data?.v

  it('made anew under its name while nobody looked, all is applied there', async () => {
    const story = await inSync('continuous-recreated')
    story.manager.stop()
    const other = story.replace('c1')
    await story.remove(story.clusterKind, 'c1')
    await story.cluster(story.clusterKind, 'c1')
    story.manager = story.fleet.startController()
    expect(await story.until(() => there(other) === '1', 60)).toBe(true)
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    expect(story.entry('c1', 'crs1')).toEqual(['ConfigMap/a applied'])
  })

  it('another one behind the same object gets nothing before somebody says that it is meant', async () => {
    const story = await inSync('continuous-another')
    story.manager.stop()
    const other = story.replace('c1')
    story.manager = story.fleet.startController()
    await story.pass(60)
    expect(there(other)).toBeUndefined()
    expect(story.said('crs1')).toMatch(/^False\/NotApplied: applied on 2 of 3 clusters; NotApplied 1: c1/)
    expect(story.said('crs1')).toContain('has another identity')
    await story.accept('c1', kubeSystemOf(other))
    expect(await story.until(() => there(other) === '1' && isInSync(story), 120)).toBe(true)
  })
})

describe('a change of mode', () => {
  it('away from Continuous leaves a cluster out of reach as it is; back again, it is brought up to date', async () => {
    const story = await inSync('continuous-modes-away', { [SET.maxUnavailable]: '100%' })
    const uids = CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)
    const back = away(story, 'c3')
    await story.pass(120)
    await change(story, { [SET.mode]: 'Reconcile' })
    expect(await story.until(() => moduleOf(story) === undefined, 120)).toBe(true)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
    expect(await story.until(() => valueOn(story, 'c2', 'x') === '2', 60)).toBe(true)
    await change(story, { [SET.maxUnavailable]: '100%' })
    await story.pass(60)
    back()
    expect(await story.until(() => isInSync(story), 180)).toBe(true)
    expect(values(story)).toEqual(['2', '2', '2'])
    expect(CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)).toEqual(uids)
  })
})

it("Cluster API's definition takes the place of ours: it stays as it is, with all settings, and says so once (26)", async () => {
  const story = await inSync('continuous-replaced', { ...DELETE, [SET.prune]: 'true' })
  const before = moduleOf(story)!
  await story.pass(10)
  const from = story.fleet.commits.length
  await story.replaceDefinitions()
  const told = () =>
    story.fleet.commits
      .slice(from)
      .flatMap(({ next }) =>
        (next as { reason?: string })?.reason === 'StrategyUnknownUpstream' ? [next] : [],
      )
  expect(await story.until(() => told().length > 0, 30)).toBe(true)
  await story.pass(3600)
  expect(told()).toHaveLength(1)
  expect(told()).toMatchObject([
    {
      type: 'Warning',
      message: expect.stringContaining('lockstep.dev/mode: Continuous'),
      involvedObject: { name: 'crs1' },
    },
  ])
  expect(story.seeSet('crs1')?.spec.strategy).toBe('Continuous')
  expect(moduleOf(story)?.metadata.uid).toBe(before.metadata.uid)
  expect(moduleOf(story)?.spec).toEqual(before.spec)
  expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual([[], [], []])
  await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
  expect(await story.until(() => values(story).every((v) => v === '2') && isInSync(story), 60)).toBe(true)
  expect(values(story, 'y')).toEqual([undefined, undefined, undefined])
})

it('a cluster that was out of reach while the mode changed gets what the new mode owes it', async () => {
  const story = await inSync('continuous-left-away', { [SET.maxUnavailable]: '100%' })
  const back = away(story, 'c3')
  await story.pass(120)
  await change(story, { [SET.mode]: 'Reconcile' })
  expect(await story.until(() => moduleOf(story) === undefined, 120)).toBe(true)
  await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
  expect(await story.until(() => valueOn(story, 'c2', 'x') === '2', 60)).toBe(true)
  back()
  expect(await story.until(() => valueOn(story, 'c3', 'x') === '2', 180)).toBe(true)
  expect(await story.until(() => story.said('crs1', 'Ready').startsWith('True/Applied'), 10)).toBe(true)
  expect(story.inventories.every((i) => i.spec.moduleRef.kind === 'ClusterResourceSet')).toBe(true)
})

describe('its Module', () => {
  it('deleted by somebody, comes back: nothing is deleted on a cluster that it would not delete itself', async () => {
    const story = await inSync('continuous-module-deleted', { [SET.maxUnavailable]: '100%' })
    const { uid } = moduleOf(story)!.metadata
    const uids = CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)
    await story.remove(moduleKind, 'crs-crs1')
    expect(await story.until(() => ![undefined, uid].includes(moduleOf(story)?.metadata.uid), 60)).toBe(true)
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    expect(CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)).toEqual(uids)
    expect(story.live('c1', 'configmaps', 'x')?.metadata.labels?.[UNIT_LABEL]).toBeDefined()
  })
})

describe('settings that turn bad', () => {
  it('are said, and the last valid ones stay in force, over a restart as well', async () => {
    const story = await inSync('continuous-bad', { ...DELETE, [SET.prune]: 'true', [SET.interval]: '20m' })
    await change(story, { ...DELETE, [SET.prune]: 'yes', [SET.interval]: '10' })
    const isSaid = () => story.said('crs1', 'Ready').startsWith('False/InvalidSetting')
    expect(await story.until(isSaid, 5)).toBe(true)
    const before = moduleOf(story)!
    story.restart()
    await story.pass(30)
    expect(isSaid()).toBe(true)
    expect(moduleOf(story)!.spec).toEqual(before.spec)
    await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
    await story.pass(60)
    expect(values(story)).toEqual(['2', '2', '2'])
    expect(values(story, 'y')).toEqual([undefined, undefined, undefined])
  })
})
