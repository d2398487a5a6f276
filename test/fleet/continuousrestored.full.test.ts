/** The hub of a ClusterResourceSet that is Continuous is restored, or moved by clusterctl: clusters hear nothing of it (23). */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import {
  resourceSetBindingKinds,
  resourceSetKinds,
} from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import { DELETE_FOR_MOVE, SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { type Inventory, inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { remoteAssemblageKind } from '../../packages/lockstep/src/api/kinds/remoteassemblage/columns.ts'
import { adoptByMarks } from './adoptmarks.ts'
import { backup, restore } from './hubbackup.ts'
import { CONTINUOUS, config, continuous, convergedOf, inSync, isInSync, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { must } from './simfleet.ts'

const CLUSTERS = ['c1', 'c2', 'c3']
const BINDINGS = resourceSetBindingKinds[0]!
const A_OR_R: readonly Kind<KubeObject>[] = [
  configMapKind,
  resourceSetKinds[0]!,
  BINDINGS,
  inventoryKind,
] as never
const KINDS: readonly Kind<KubeObject>[] = [...A_OR_R, moduleKind, remoteAssemblageKind] as never
const USER = { purpose: 'user', manager: 'somebody' } as const

const isOfModule = ({ spec }: Inventory): boolean => spec.moduleRef.kind === 'Module'

const touched = (story: SetStory, from: number) =>
  CLUSTERS.flatMap((c) => [...story.writes(c, from), ...story.stamps(c, from)])

async function stopped(story: SetStory): Promise<void> {
  story.manager.stop()
  await story.pass(1)
}

const STAMP = { namespace: 'lockstep-system', name: 'lockstep-stamp-m.platform.crs-crs1' }

/** A person has decided: what the hub says is delivered. */
async function decide(story: SetStory): Promise<void> {
  for (const { client } of story.fleet.clusters.values())
    must(await story.during(client.delete(configMapKind, STAMP, { ...USER, precondition: 'any' })))
}

describe('a hub that is restored from a snapshot', () => {
  it('after which nothing has changed: all is in sync, without a write', async () => {
    const story = await inSync('restored-same', CLUSTERS)
    const saved = await backup(story, KINDS)
    await story.pass(600)
    await stopped(story)
    await restore(story, saved)
    const from = story.fleet.commits.length
    story.manager = story.fleet.startController()
    await story.pass(900)
    expect([touched(story, from), isInSync(story)]).toEqual([[], true])
    expect(CLUSTERS.map((c) => story.entry(c, 'crs1'))).toEqual(CLUSTERS.map(() => ['ConfigMap/a applied']))
  })

  it('with older Inventories and bindings: nothing is put back, and that is said; decided, it goes on', async () => {
    const story = await inSync('restored-older', CLUSTERS, { [SET.maxUnavailable]: '100%' })
    const saved = await backup(story, KINDS)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
    expect(await story.until(() => valueOn(story, 'c3', 'x') === '2' && isInSync(story), 60)).toBe(true)
    await stopped(story)
    await restore(story, saved)
    const from = story.fleet.commits.length
    story.manager = story.fleet.startController()
    await story.pass(900)
    expect(touched(story, from)).toEqual([])
    expect(convergedOf(story)).toMatch(
      /^False\/Failed: in sync on 0 of 3 clusters; Failed 3: c1 \(HubRestored: ConfigMap lockstep-system\/lockstep-stamp-m.platform.crs-crs1 on c1 records admission 2, the restored hub knows 1; update the hub, then delete it\), c2 /,
    )
    expect(CLUSTERS.map((c) => valueOn(story, c, 'x'))).toEqual(['2', '2', '2'])
    await decide(story)
    expect(await story.until(() => isInSync(story), 600)).toBe(true)
    expect(CLUSTERS.map((c) => valueOn(story, c, 'x'))).toEqual(['1', '1', '1'])
  })

  it('in Reconcile: nothing is written', async () => {
    const story = await SetStory.open('restored-reconcile', CLUSTERS)
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), { strategy: 'Reconcile' })
    expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 10)).toBe(true)
    const saved = await backup(story, A_OR_R)
    await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
    expect(await story.until(() => valueOn(story, 'c3', 'x') === '2', 10)).toBe(true)
    await story.pass(5)
    await stopped(story)
    await restore(story, saved)
    const from = story.fleet.commits.length
    story.manager = story.fleet.startController()
    await story.pass(900)
    expect(touched(story, from)).toEqual([])
  })
})

/** The set, its sources and its bindings as `clusterctl move` has them on the hub to which it has moved them. */
async function moved(name: string, data: string, bound: boolean) {
  const story = await inSync(name, CLUSTERS, { [SET.maxUnavailable]: '100%' })
  await story.pass(30)
  const from = story.fleet.commits.length
  const bindings = CLUSTERS.map((c) => story.binding(c)!)
  await story.set('crs1', sources('a'), { ...CONTINUOUS, annotations: { [DELETE_FOR_MOVE]: '' } })
  await story.removeSet('crs1')
  expect(await story.until(() => story.seeSet('crs1') === undefined, 30)).toBe(true)
  await story.pass(30)
  expect([story.inventories, CLUSTERS.map((c) => story.binding(c)).filter((b) => b)]).toEqual([[], []])
  for (const { apiVersion, kind, metadata, spec } of bound ? bindings : []) {
    const body = { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace }, spec }
    must(await story.during(story.fleet.hub.create(BINDINGS, body as never, USER)))
  }
  await story.source('a', { 'a.yaml': data })
  await story.set('crs1', sources('a'), continuous({ [SET.maxUnavailable]: '100%' }))
  await story.pass(900)
  return { story, from }
}

const SAME = yaml(config('x'), config('y'))
const MARKS = ['patch configmaps default/x', 'patch configmaps default/y']

it('moved by clusterctl: what is as its binding and its stamp say goes on by itself, by our marks alone', async () => {
  const { story, from } = await moved('moved-same', SAME, true)
  expect(isInSync(story)).toBe(true)
  for (const c of CLUSTERS) expect(story.writes(c, from).sort()).toEqual(MARKS)
  await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
  expect(await story.until(() => valueOn(story, 'c3', 'x') === '2' && isInSync(story), 60)).toBe(true)
})

it.each([
  ['whose source has changed meanwhile', yaml(config('x', '2'), config('y')), true],
  ['whose bindings are lost', SAME, false],
])('a set %s writes nothing before somebody decides', async (_, data, bound) => {
  const { story, from } = await moved(`moved-on ${bound}`, data, bound)
  expect(touched(story, from)).toEqual([])
  expect(convergedOf(story)).toMatch(/Failed 1: c\d \(HubRestored: /)
  const before = CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)
  // Clusters start after each other.
  for (const _ of CLUSTERS) {
    for (const i of story.inventories.filter(isOfModule)) await adoptByMarks(story, i)
    await story.until(() => isInSync(story), 200)
  }
  expect(isInSync(story)).toBe(true)
  if (data === SAME) for (const c of CLUSTERS) expect(story.writes(c, from).sort()).toEqual(MARKS)
  expect(CLUSTERS.map((c) => story.live(c, 'configmaps', 'x')?.metadata.uid)).toEqual(before)
})
