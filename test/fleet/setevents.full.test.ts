/** What has happened to ClusterResourceSets is told in Events, once for each cluster and episode. */
import { expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { CAPI_PAUSED, SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { config, continuous, inSync, isInSync } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { TakeoverStory } from './takeoverstory.ts'

/** `Kind/name Reason: text`, as they came. */
const told = (story: SetStory, from = 0): string[] =>
  story.fleet.commits.slice(from).flatMap(({ cluster, resource, old, next }) => {
    if (cluster !== 'hub' || !resource.startsWith('events') || old) return []
    // As they are stored, which is the older kind.
    const { involvedObject, reason, message } = next as unknown as Record<string, unknown>
    const { kind, name } = involvedObject as Record<string, string>
    return [`${kind}/${name} ${reason}: ${message}`]
  })

const SET_1 = 'ClusterResourceSet/crs1'

it.each(['ApplyOnce', 'Reconcile'])('%s: what a cluster has got, and what it refuses', async (strategy) => {
  const story = await SetStory.open(`set-events-${strategy}`, ['c1', 'c2'])
  story.posts('c1', { name: 'x', times: strategy === 'ApplyOnce' ? 5 : 0 })
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.set('crs1', sources('a'), { strategy })
  expect(await story.until(() => story.isApplied('crs1', ['c1', 'c2']), 120)).toBe(true)
  await story.pass(3600)
  const refused = told(story).filter((e) =>
    e.startsWith(`${SET_1} ApplyFailed: c1: ConfigMap platform/a key a.yaml`),
  )
  expect(refused.length).toBe(strategy === 'ApplyOnce' ? 1 : 0)
  expect(
    told(story)
      .filter((e) => !refused.includes(e))
      .sort(),
  ).toEqual([`${SET_1} Applied: c1: ConfigMap/a applied`, `${SET_1} Applied: c2: ConfigMap/a applied`])
  const from = story.fleet.commits.length
  await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
  await story.pass(60)
  expect(told(story, from).length).toBe(strategy === 'ApplyOnce' ? 0 : 2)
})

it('Continuous: what was put right, and what was pruned, of its Module’s Inventory', async () => {
  const story = await inSync('set-events-continuous', ['c1'], { [SET.prune]: 'true' })
  const from = story.fleet.commits.length
  await story.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })
  await story.pass(10)
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.pass(30)
  expect(isInSync(story)).toBe(true)
  const units = told(story, from).filter((e) => e.startsWith('Inventory/'))
  expect(units.map((e) => e.replace(/^\S+ /, ''))).toEqual([
    'DriftReverted: drift reverted: ConfigMap default/x (.data.v by "user")',
    'Pruned: ConfigMap default/y: deleted on c1, since it is not in the bundle any more',
  ])
})

it('Continuous: of the set, what a cluster has got and refuses, what others have changed, what was put right and pruned', async () => {
  const story = await inSync('set-events-of-set', ['c1', 'c2'], { [SET.prune]: 'true' })
  const ofSet = (from: number) =>
    told(story, from).flatMap((e) => (e.startsWith(`${SET_1} `) ? [e.slice(SET_1.length + 1)] : []))
  expect(ofSet(0).sort()).toEqual(['Applied: c1: ConfigMap/a applied', 'Applied: c2: ConfigMap/a applied'])
  let from = story.fleet.commits.length
  await story.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })
  await story.pass(30)
  expect(ofSet(from)).toContain('DriftReverted: c1: drift reverted: ConfigMap default/x (.data.v by "user")')
  from = story.fleet.commits.length
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.pass(60)
  const pruned = ofSet(from).filter((e) => e.startsWith('Pruned'))
  expect(pruned.sort()).toEqual(
    ['c1', 'c2'].map((c) => `Pruned: ${c}: ConfigMap default/y: deleted, since it is in no source any more`),
  )
  from = story.fleet.commits.length
  await story.set('crs1', sources('a'), continuous({ [SET.drift]: 'Report' }))
  await story.pass(10)
  await story.editOn('c2', configMapKind, 'x', { data: { v: 'theirs' } })
  await story.pass(600)
  const drift = ofSet(from).filter((e) => !e.startsWith('Applied'))
  expect(drift).toEqual([expect.stringMatching(/^DriftDetected: c2: .*ConfigMap default\/x/)])
})

it('Continuous: a cluster that refuses something is told of once, however often it is tried', async () => {
  const story = await SetStory.open('set-events-refused', ['c1'])
  const { handle } = story.fleet.clusters.get('c1')!.api
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code: 403,
    message: 'no',
  })
  let isDenying = true
  story.fleet.env.net.serve('https://c1.test', async (request) =>
    isDenying && request.method === 'PATCH' && request.url.includes('/configmaps/x')
      ? { status: 403, headers: { 'content-type': 'application/json' }, body }
      : handle(request),
  )
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.set('crs1', sources('a'), continuous())
  await story.pass(1800)
  const refused = () => told(story).filter((e) => e.startsWith(`${SET_1} ApplyFailed: c1: `))
  expect(refused()).toHaveLength(1)
  isDenying = false
  expect(await story.until(() => isInSync(story), 120)).toBe(true)
  expect(refused()).toHaveLength(1)
  expect(told(story).filter((e) => e.startsWith(`${SET_1} Applied: c1`))).toHaveLength(1)
})

it('whose it is: taken over, the pause taken off by somebody, handed back', async () => {
  const story = await TakeoverStory.with('set-events-takeover', '1.13', ['c1'])
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.appliedUpstream('crs1', sources('a'), 'Reconcile', ['c1'])
  await story.takeOver('crs1')
  expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
  await story.annotate('crs1', { [CAPI_PAUSED]: null })
  await story.pass(60)
  await story.annotate('crs1', { [SET.managed]: null })
  await story.pass(60)
  expect(told(story).map((e) => e.replace(/;.*/, ''))).toEqual([
    `${SET_1} TakenOver: Lockstep reconciles this ClusterResourceSet: Cluster API has acknowledged the pause`,
    `${SET_1} PauseRemoved: cluster.x-k8s.io/paused was removed while Lockstep reconciles this ClusterResourceSet`,
    // The pause was set and acknowledged again.
    `${SET_1} TakenOver: Lockstep reconciles this ClusterResourceSet: Cluster API has acknowledged the pause`,
    `${SET_1} HandedBack: ClusterResourceSet is reconciled by Cluster API again`,
  ])
})
