/** Objects of ClusterResourceSets and Modules that a label moves between them: kept, and with the content of the new one. */
import { describe, expect, it } from 'vitest'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { continuous, isInSync, valueOn } from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { TakeoverStory } from './takeoverstory.ts'

const RINGS = ['blue', 'green', 'red'] as const
/** Rings of c1, one after the other: each once, and back. */
const RELABELS = ['green', 'red', 'blue', 'red', 'green', 'blue'] as const

const config = (name: string, v: string) => manifest('ConfigMap', name, { data: { v } })
const byRing = (ring: string) => ({ matchLabels: { ring } })
/** Content of a ring: an object that all rings have, and one of its own. */
const contentOf = (ring: string): string => yaml(config('shared', ring), config(`only-${ring}`, ring))

const uidOn = (story: SetStory, cluster: string, name: string): string | undefined =>
  story.live(cluster, 'configmaps', name)?.metadata.uid

const deletes = (story: SetStory, from: number): string[] =>
  story.writes('c1', from).filter((w) => w.startsWith('delete configmaps default/'))

/** Values of all objects on c1. */
const contentOn = (story: SetStory): unknown[] =>
  ['shared', ...RINGS.map((r) => `only-${r}`)].map((name) => valueOn(story, 'c1', name))

/** Three sets with strategy Reconcile, one for each ring; content and entries of the binding after each relabel of c1. */
async function playRings(story: SetStory): Promise<{ content: unknown[]; kept: boolean }[]> {
  await story.label('c1', { ring: 'blue' })
  for (const ring of RINGS) {
    await story.source(`of-${ring}`, { 'a.yaml': contentOf(ring) })
    await story.set(`crs-${ring}`, sources(`of-${ring}`), { strategy: 'Reconcile', selector: byRing(ring) })
  }
  expect(await story.until(() => story.isApplied('crs-blue', ['c1']), 120)).toBe(true)
  const uid = uidOn(story, 'c1', 'shared')
  const seen: { content: unknown[]; kept: boolean }[] = []
  for (const ring of RELABELS) {
    await story.label('c1', { ring })
    await story.until(() => story.isApplied(`crs-${ring}`, ['c1']), 120)
    await story.pass(60)
    seen.push({ content: contentOn(story), kept: uidOn(story, 'c1', 'shared') === uid })
  }
  return seen
}

describe('three Reconcile sets as rings, over six relabels (acceptance 6)', () => {
  for (const version of ['1.9', '1.13'] as const)
    it(`the content is that of Cluster API ${version}, and the object is kept`, async () => {
      const upstream = await TakeoverStory.with(`rings-upstream-${version}`, version, ['c1'])
      const expected = await playRings(upstream)
      // Sets of Cluster API apply equal content once to a cluster: the second visit of a ring changes nothing.
      expect(expected.map((s) => s.content[0])).toEqual(['green', 'red', 'red', 'red', 'red', 'red'])
      const story = await SetStory.open(`rings-${version}`, ['c1'])
      const from = story.fleet.commits.length
      const seen = await playRings(story)
      expect(seen).toEqual(expected)
      expect(seen.every((s) => s.kept)).toBe(true)
      expect(deletes(story, from)).toEqual([])
      // New content of the ring in which it is reaches it, and of another ring it does not.
      await story.source('of-blue', { 'a.yaml': contentOf('blue').replaceAll('v: blue', 'v: blue-2') })
      await story.source('of-red', { 'a.yaml': contentOf('red').replaceAll('v: red', 'v: red-2') })
      expect(await story.until(() => valueOn(story, 'c1', 'shared') === 'blue-2', 60)).toBe(true)
      await story.pass(120)
      expect(valueOn(story, 'c1', 'shared')).toBe('blue-2')
    })

  it('a set that still selects the cluster keeps the object', async () => {
    const story = await SetStory.open('rings-both', ['c1'])
    await story.label('c1', { ring: 'blue', also: 'yes' })
    await story.source('of-blue', { 'a.yaml': contentOf('blue') })
    await story.source('of-green', { 'a.yaml': contentOf('green') })
    const reconcile = { strategy: 'Reconcile' }
    await story.set('crs-blue', sources('of-blue'), {
      ...reconcile,
      selector: { matchLabels: { also: 'yes' } },
    })
    expect(await story.until(() => story.isApplied('crs-blue', ['c1']), 60)).toBe(true)
    await story.set('crs-green', sources('of-green'), { ...reconcile, selector: byRing('green') })
    await story.label('c1', { ring: 'green' })
    await story.pass(60)
    expect(valueOn(story, 'c1', 'shared')).toBe('blue')
    expect(story.said('crs-green')).toContain('belongs to ClusterResourceSet platform/crs-blue')
    await story.label('c1', { also: 'no' })
    expect(await story.until(() => valueOn(story, 'c1', 'shared') === 'green', 60)).toBe(true)
  })
})

type Kind = 'Module' | 'Continuous' | 'Reconcile' | 'ApplyOnce'

/** The set deletes its objects with itself, and on deselected clusters. */
const DELETING = { [SET.prune]: 'true', [SET.deletionPolicy]: 'Delete', [SET.maxUnavailable]: '100%' }

async function create(story: SetStory, kind: Kind, ring: string): Promise<void> {
  if (kind === 'Module') {
    await story.config(`m-${ring}`, contentOf(ring))
    await story.module(ring, `m-${ring}`, { targets: { clusterSelector: byRing(ring) } })
    return
  }
  await story.source(`of-${ring}`, { 'a.yaml': contentOf(ring) })
  const selector = byRing(ring)
  const how = kind === 'Continuous' ? continuous(DELETING) : { strategy: kind }
  await story.set(ring, sources(`of-${ring}`), { ...how, selector })
}

function isThere(story: SetStory, kind: Kind, ring: string): boolean {
  if (kind === 'Module') return story.isReady(ring)
  return kind === 'Continuous' ? isInSync(story, ring) : story.isApplied(ring, ['c1'])
}

const holderOn = (story: SetStory): string | undefined =>
  story.live('c1', 'configmaps', 'shared')?.metadata.labels?.[UNIT_LABEL]

describe('a label moves an object between kinds of units (acceptance 6)', () => {
  const holderOf: Readonly<Record<Kind, string | undefined>> = {
    Module: 'm.platform.green',
    Continuous: 'm.platform.crs-green',
    Reconcile: 's.platform.green',
    // Applied once, and never owned.
    ApplyOnce: undefined,
  }
  for (const from of ['Module', 'Continuous'] as const)
    for (const to of ['Module', 'Continuous', 'Reconcile', 'ApplyOnce'] as const)
      it(`${from} to ${to}: kept, with the content of the new one`, async () => {
        const story = await SetStory.open(`moves-${from}-${to}`, ['c1'])
        await story.label('c1', { ring: 'blue' })
        await create(story, from, 'blue')
        await create(story, to, 'green')
        expect(
          await story.until(
            () => isThere(story, from, 'blue') && valueOn(story, 'c1', 'shared') === 'blue',
            60,
          ),
        ).toBe(true)
        const uid = uidOn(story, 'c1', 'shared')
        const begun = story.fleet.commits.length
        await story.label('c1', { ring: 'green' })
        const isOver = () => uidOn(story, 'c1', 'only-blue') === undefined && isThere(story, to, 'green')
        expect(await story.until(isOver, 120)).toBe(true)
        await story.pass(60)
        expect(uidOn(story, 'c1', 'shared')).toBe(uid)
        expect(deletes(story, begun)).toEqual(['delete configmaps default/only-blue'])
        // ApplyOnce changes no existing object.
        expect(valueOn(story, 'c1', 'shared')).toBe(to === 'ApplyOnce' ? 'blue' : 'green')
        expect(holderOn(story)).toBe(holderOf[to])
      })

  for (const from of ['Reconcile', 'ApplyOnce'] as const)
    for (const to of ['Module', 'Continuous'] as const)
      it(`${from} to ${to}: kept, with the content of the new one`, async () => {
        const story = await SetStory.open(`moves-${from}-${to}`, ['c1'])
        await story.label('c1', { ring: 'blue' })
        await create(story, from, 'blue')
        await create(story, to, 'green')
        expect(await story.until(() => isThere(story, from, 'blue'), 60)).toBe(true)
        const uid = uidOn(story, 'c1', 'shared')
        const begun = story.fleet.commits.length
        await story.label('c1', { ring: 'green' })
        const isOver = () => isThere(story, to, 'green') && valueOn(story, 'c1', 'shared') === 'green'
        expect(await story.until(isOver, 120)).toBe(true)
        expect([uidOn(story, 'c1', 'shared'), deletes(story, begun)]).toEqual([uid, []])
        expect(holderOn(story)).toBe(holderOf[to])
      })

  for (const from of ['Reconcile', 'ApplyOnce'] as const)
    for (const to of ['Module', 'Continuous'] as const)
      it(`${from}, deleted, to ${to}: kept, with the content of the new one`, async () => {
        const story = await SetStory.open(`deleted-${from}-${to}`, ['c1'])
        await story.label('c1', { ring: 'blue' })
        await create(story, from, 'blue')
        expect(await story.until(() => isThere(story, from, 'blue'), 60)).toBe(true)
        const uid = uidOn(story, 'c1', 'shared')
        await story.deleteSet('blue')
        await story.pass(60)
        expect(uidOn(story, 'c1', 'shared')).toBe(uid)
        await story.label('c1', { ring: 'green' })
        await create(story, to, 'green')
        const isOver = () => isThere(story, to, 'green') && valueOn(story, 'c1', 'shared') === 'green'
        expect(await story.until(isOver, 120)).toBe(true)
        expect(uidOn(story, 'c1', 'shared')).toBe(uid)
        expect(holderOn(story)).toBe(holderOf[to])
      })

  it('Reconcile to Module: the deletion of the set ends the wait, as its message says', async () => {
    const story = await SetStory.open('deleted-later', ['c1'])
    await story.label('c1', { ring: 'blue' })
    await create(story, 'Reconcile', 'blue')
    expect(await story.until(() => isThere(story, 'Reconcile', 'blue'), 60)).toBe(true)
    const uid = uidOn(story, 'c1', 'shared')
    await story.config('m-blue', contentOf('blue'))
    await story.module('new', 'm-blue', { targets: { clusterSelector: byRing('blue') } })
    const says = () => story.blockers('new').join()
    expect(await story.until(() => says().includes('delete ClusterResourceSet blue'), 60), says()).toBe(true)
    await story.deleteSet('blue')
    expect(await story.until(() => story.isReady('new'), 60), says()).toBe(true)
    expect([uidOn(story, 'c1', 'shared'), holderOn(story)]).toEqual([uid, 'm.platform.new'])
  })
})
