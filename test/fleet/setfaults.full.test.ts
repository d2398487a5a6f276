/** What goes wrong with ClusterResourceSets, and harms nobody else. */
import { describe, expect, it } from 'vitest'
import { encodeJson } from '../../packages/kube/src/object/index.ts'
import { DELETE_FOR_MOVE, SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

const CLUSTERS = ['c1', 'c2', 'c3']
const config = (name: string, v = '1') => manifest('ConfigMap', name, { data: { v } })

describe('what is refused', () => {
  it('is tried after 1, 2, 4, 8 and 15 seconds, then each 15, after ten minutes each minute', async () => {
    const story = await SetStory.open('sets-ladder', ['c1'])
    const at: number[] = []
    const posts = story.posts('c1', { name: 'x', times: Number.POSITIVE_INFINITY }, () =>
      at.push(story.fleet.env.clock.steady()),
    )
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { annotations: { [SET.interval]: '1m' } })
    await story.pass(1200)
    const gaps = at.slice(1).map((t, i) => Math.round((t - at[i]!) / 1000))
    expect(posts.length).toBe(at.length)
    expect(gaps.slice(0, 7)).toEqual([1, 2, 4, 8, 15, 15, 15])
    expect(Math.max(...gaps)).toBe(60)
    expect(gaps.slice(-3)).toEqual([60, 60, 60])
  })

  it('for good is tried once, and again when what is asked for is another', async () => {
    const story = await SetStory.open('sets-immutable', ['c1'])
    const job = (command: string) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'init', namespace: 'default' },
      spec: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: [command] }] },
        },
      },
    })
    await story.source('a', { 'a.yaml': yaml(job('one')) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    let patches = 0
    story.fleet.env.net.wire('https://c1.test', {
      before: async ({ method }) => {
        if (method === 'PATCH') patches++
        return undefined
      },
    })
    await story.source('a', { 'a.yaml': yaml(job('two')) })
    await story.pass(3600)
    expect(patches).toBe(1)
    expect(story.said('crs1')).toMatch(/^False\/NotApplied: applied on 0 of 1 clusters; NotApplied 1: c1 /)
    expect(story.said('crs1')).toContain(
      'Job default/init: .spec.template is immutable; set lockstep.dev/replace-immutable: "true" or rename it',
    )
    expect(story.said('crs1', 'Stalled')).toMatch(/^True/)
    await story.source('a', { 'a.yaml': yaml(job('one')) })
    expect(await story.until(() => story.said('crs1').startsWith('True'), 10)).toBe(true)
    const uid = story.live('c1', 'jobs.batch', 'init')?.metadata.uid
    const from = story.fleet.commits.length
    await story.source('a', { 'a.yaml': yaml(job('two')) })
    await story.set('crs1', sources('a'), {
      strategy: 'Reconcile',
      annotations: { [SET.replaceImmutable]: 'true' },
    })
    const isAnew = () => ![undefined, uid].includes(story.live('c1', 'jobs.batch', 'init')?.metadata.uid)
    expect(await story.until(() => isAnew() && story.said('crs1').startsWith('True'), 60)).toBe(true)
    await story.pass(600)
    expect(story.writes('c1', from)).toEqual([
      'delete jobs.batch default/init',
      'create jobs.batch default/init',
    ])
  })

  it('replace-immutable never means what holds data', async () => {
    const story = await SetStory.open('sets-claim', ['c1'])
    const claim = (mode: string) =>
      manifest('PersistentVolumeClaim', 'data', {
        spec: { accessModes: [mode], resources: { requests: { storage: '1Gi' } } },
      })
    const replacing = { strategy: 'Reconcile', annotations: { [SET.replaceImmutable]: 'true' } }
    await story.source('a', { 'a.yaml': yaml(claim('ReadWriteOnce'), config('x')) })
    await story.set('crs1', sources('a'), replacing)
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
    const uid = story.live('c1', 'persistentvolumeclaims', 'data')?.metadata.uid
    await story.source('a', { 'a.yaml': yaml(claim('ReadWriteMany'), config('x', '2')) })
    await story.pass(600)
    expect(story.live('c1', 'persistentvolumeclaims', 'data')?.metadata.uid).toBe(uid)
    expect(story.said('crs1')).toContain('PersistentVolumeClaim default/data: ')
    expect(story.said('crs1')).toContain('not recreated: ')
    expect(story.live('c1', 'configmaps', 'x')).toMatchObject({ data: { v: '2' } })
  })
})

it('a change goes to as many clusters at once as may be unavailable, and stops where it fails', async () => {
  const story = await SetStory.open('sets-turns', CLUSTERS)
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  const annotations = { [SET.maxUnavailable]: '1' }
  await story.set('crs1', sources('a'), { strategy: 'Reconcile', annotations })
  expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 10)).toBe(true)
  const from = story.fleet.commits.length
  const posts = story.posts('c1', { name: 'bad', times: Number.POSITIVE_INFINITY })
  await story.source('a', { 'a.yaml': yaml(config('x', '2'), manifest('Secret', 'bad')) })
  await story.pass(600)
  expect(posts.length).toBe(0)
  expect([story.writes('c2', from), story.writes('c3', from)]).not.toEqual([[], []])
})

it('what clusterctl has moved is let go of as it is: nothing is undone', async () => {
  const story = await SetStory.open('sets-moved', CLUSTERS)
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.set('crs1', sources('a'))
  expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 10)).toBe(true)
  const from = story.fleet.commits.length
  await story.set('crs1', sources('a'), { annotations: { [DELETE_FOR_MOVE]: '' } })
  await story.removeSet('crs1')
  expect(await story.until(() => story.seeSet('crs1') === undefined, 10)).toBe(true)
  await story.pass(60)
  expect(CLUSTERS.map((c) => story.writes(c, from))).toEqual([[], [], []])
})

it('no value of a Secret is told: in no object of the hub, event or log', async () => {
  const CANARY = 'c4n4ry-v4lue'
  const story = await SetStory.open('sets-secret', ['c1'])
  story.posts('c1', { name: 's2', times: 3 })
  const secret = (name: string) => manifest('Secret', name, { stringData: { password: CANARY } })
  await story.source('secret-b', {
    'b.yaml': yaml(secret('s1'), secret('s2')),
    'c.yaml': `[{"kind": "${CANARY}`,
  })
  await story.set('crs1', sources('secret-b'))
  await story.pass(30)
  await story.source('secret-b', { 'b.yaml': yaml(secret('s1'), secret('s2')) })
  expect(await story.until(() => story.isApplied('crs1', ['c1']), 60)).toBe(true)
  const told = story.fleet.commits.filter((c) => c.cluster === 'hub' && !c.resource.startsWith('secrets'))
  expect(told.length).toBeGreaterThan(5)
  expect(encodeJson(told as never)).not.toContain(CANARY)
})
