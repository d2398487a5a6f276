/** Fields of what Cluster API has applied, once a set is ours: what leaves the manifest goes, what others have set stays. */
import { expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { must } from './simfleet.ts'
import { TakeoverStory } from './takeoverstory.ts'

const CLUSTERS = ['c1', 'c2']
const KEY = { name: 'x', namespace: 'default' }
const config = (data: Record<string, string>, name = 'x') => yaml(manifest('ConfigMap', name, { data }))

async function taken(name: string, data: Record<string, string>): Promise<TakeoverStory> {
  const story = await TakeoverStory.with(name, '1.9', CLUSTERS)
  await story.source('a', { 'a.yaml': config(data) })
  await story.source('b', { 'b.yaml': config(data, 'y') })
  await story.appliedUpstream('crs1', sources('a', 'b'), 'Reconcile', CLUSTERS)
  await story.takeOver('crs1')
  expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
  return story
}

/** The source says this now, and it is on all clusters. */
async function asks(story: SetStory, data: Record<string, string>): Promise<void> {
  await story.source('a', { 'a.yaml': config(data) })
  await story.pass(20)
}

const dataOf = (story: SetStory, cluster: string): unknown => story.live(cluster, 'configmaps', 'x')?.data

/** Who has what of x there, without the maps. */
const owners = (story: SetStory, cluster: string): Record<string, string[]> =>
  Object.fromEntries(
    (story.live(cluster, 'configmaps', 'x')?.metadata.managedFields ?? []).map((f) => {
      const data = (f.fieldsV1 as { 'f:data'?: object })['f:data'] ?? {}
      return [`${f.manager} ${f.operation}`, Object.keys(data).filter((k) => k !== '.')]
    }),
  )

const warnings = (story: SetStory): string[] =>
  story.fleet.commits.flatMap(({ cluster, resource, next, old }) =>
    cluster === 'hub' && !old && resource.startsWith('events') && next?.reason === 'FieldsMayRemain'
      ? [String(next.note ?? next.message)]
      : [],
  )

it('a field of theirs that we have applied since goes when it leaves the manifest; those of an operator of the same name stay', async () => {
  const story = await taken('fields', { a: '1', b: '1' })
  const client = story.fleet.clusters.get('c1')!.client
  const operator = { purpose: 'user', manager: 'manager', precondition: 'any' } as const
  must(await story.during(client.patch(configMapKind, KEY, { data: { operator: 'x' } }, operator)))
  await asks(story, { a: '1', b: '1', c: '1' })
  expect(owners(story, 'c1')).toEqual({
    'lockstep Apply': ['f:a', 'f:b', 'f:c'],
    'manager Update': ['f:operator'],
  })
  expect(owners(story, 'c2')).toEqual({ 'lockstep Apply': ['f:a', 'f:b', 'f:c'] })
  const from = story.fleet.commits.length
  await asks(story, { b: '2' })
  expect([dataOf(story, 'c1'), dataOf(story, 'c2')]).toEqual([{ b: '2', operator: 'x' }, { b: '2' }])
  // What has changed hands costs nothing more.
  for (const c of CLUSTERS) expect(story.writesBy(c, from)).toEqual(['lockstep apply default/x'])
})

it('a field that leaves with the first content of ours may remain: said once for each cluster, with what to do', async () => {
  const story = await taken('remains', { a: '1', gone: '1' })
  await asks(story, { a: '2' })
  expect(dataOf(story, 'c1')).toEqual({ a: '2', gone: '1' })
  const said = warnings(story)
  expect(said).toHaveLength(2)
  expect(said.sort()[0]).toMatch(
    /^fields of an earlier content of ConfigMap\/a may remain on c1: ConfigMap default\/x; compare them with their manifests$/,
  )
  await story.pass(1200)
  await asks(story, { a: '3' })
  await story.source('b', { 'b.yaml': config({ a: '2' }, 'y') })
  await story.pass(30)
  expect(story.live('c1', 'configmaps', 'y')?.data).toEqual({ a: '2', gone: '1' })
  expect(warnings(story)).toHaveLength(2)
})

it('nothing is said where nothing of that name is left', async () => {
  const story = await taken('nothing remains', { a: '1' })
  await asks(story, { a: '2', b: '1' })
  expect(dataOf(story, 'c1')).toEqual({ a: '2', b: '1' })
  expect(warnings(story)).toEqual([])
  for (const i of story.inventories)
    expect(i.spec.set?.sources?.map((x) => x.upstream === undefined)).toEqual([true, false])
})

it('created once by us, then reconciled: what leaves the manifest goes', async () => {
  const story = await SetStory.open('once then reconciled', CLUSTERS)
  await story.source('a', { 'a.yaml': config({ a: '1', b: '1' }) })
  await story.set('crs1', sources('a'), { strategy: 'ApplyOnce' })
  expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 30)).toBe(true)
  await story.set('crs1', sources('a'), { strategy: 'ApplyOnce', annotations: { [SET.mode]: 'Reconcile' } })
  await asks(story, { a: '2' })
  expect(dataOf(story, 'c1')).toEqual({ a: '2' })
  expect(owners(story, 'c1')).toEqual({ 'lockstep Apply': ['f:a'] })
})

it('somebody changes the object between our two writes: it is settled all the same', async () => {
  const story = await taken('fields raced', { a: '1', b: '1' })
  const client = story.fleet.clusters.get('c1')!.client
  let isArmed = true
  story.fleet.env.net.wire('https://c1.test', {
    before: async ({ method, headers }) => {
      const type = String(headers?.['content-type'] ?? '')
      if (!isArmed || method !== 'PATCH' || !type.includes('merge-patch')) return undefined
      isArmed = false
      const by = { purpose: 'user', manager: 'somebody', precondition: 'any' } as const
      must(await client.patch(configMapKind, KEY, { data: { other: 'x' } }, by))
      return undefined
    },
  })
  await asks(story, { a: '1', b: '1', c: '1' })
  expect(isArmed).toBe(false)
  expect(owners(story, 'c1')).toEqual({
    'lockstep Apply': ['f:a', 'f:b', 'f:c'],
    'somebody Update': ['f:other'],
  })
})
