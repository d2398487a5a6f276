/** ClusterResourceSets that Cluster API has applied, taken over and kept up to date from then on, and given back. */

import { describe, expect, it } from 'vitest'
import { type JsonValue, jsonEqual, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { ClusterResourceSetBinding } from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import { CAPI_PAUSED, SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import type {
  ClusterApiOptions,
  ClusterApiVersion,
} from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { patience } from '../patience.ts'
import { manifest, sources, yaml } from './setstory.ts'
import { TakeoverStory } from './takeoverstory.ts'

const CLUSTERS = ['c1', 'c2', 'c3']
const VERSIONS: readonly ClusterApiVersion[] = ['1.9', '1.13']
const OBJECTS: readonly (readonly [string, string])[] = [
  ['configmaps', 'x'],
  ['configmaps', 'y'],
  ['deployments.apps', 'web'],
]

const config = (name: string, v = '1') => manifest('ConfigMap', name, { data: { v } })
const web = manifest('Deployment', 'web', {
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  },
})

async function upstreamApplied(
  name: string,
  version: ClusterApiVersion,
  options: Partial<ClusterApiOptions> = {},
) {
  const story = await TakeoverStory.with(name, version, CLUSTERS, options)
  await story.source('a', { 'a.yaml': yaml(config('x'), web) })
  await story.source('secret-b', { 'b.yaml': yaml(config('y')) })
  await story.appliedUpstream('crs1', sources('a', 'secret-b'), 'Reconcile', CLUSTERS)
  return story
}

const takeOver = (story: TakeoverStory): Promise<void> =>
  story.annotate('crs1', { [SET.managed]: 'true', [SET.mode]: 'Continuous' })

const isInSync = (story: TakeoverStory): boolean =>
  story.isTaken('crs1') && story.condition('crs1', 'lockstep.dev/Converged').startsWith('True/InSync')

/** What stands still under a write of metadata alone; a Deployment counts its annotations among its generations. */
const lives = (story: TakeoverStory, cluster: string) =>
  OBJECTS.map(([resource, name]) => {
    const { metadata, spec, data } = story.live(cluster, resource, name) as {
      metadata: { uid: string }
      spec?: unknown
      data?: unknown
    }
    return { name, uid: metadata.uid, spec, data }
  })

/** To all three, but for what our own records are there. */
const ours = (story: TakeoverStory, from: number): string[][] => CLUSTERS.map((c) => story.writes(c, from))

const theirs = (story: TakeoverStory, from: number): string[][] =>
  CLUSTERS.map((c) => story.writesBy(c, from).filter((w) => w.startsWith('manager ')))

const NONE = [[], [], []]
const isStamp = ({ metadata }: KubeObject): boolean => metadata.namespace === 'lockstep-system'

/** One request an object. */
const MARKS = OBJECTS.map(([resource, name]) => `patch ${resource} default/${name}`)

const valueOn = (story: TakeoverStory, cluster: string, name: string): unknown =>
  (story.live(cluster, 'configmaps', name) as { data?: { v?: string } } | undefined)?.data?.v

/** Each of our writes to a cluster takes a while. Each, as it is begun: the pause and Cluster API's word as they stand. */
function slowWrites(story: TakeoverStory, ms: number): readonly string[] {
  const { clock, net } = story.fleet.env
  const begun: string[] = []
  for (const cluster of CLUSTERS)
    net.wire(`https://${cluster}.test`, {
      before: async ({ method, headers }) => {
        if (method === 'GET' || !String(headers?.['user-agent'] ?? '').startsWith('lockstep'))
          return undefined
        begun.push(`${story.pauseOf('crs1')} ${story.condition('crs1', 'Paused').split(':')[0]}`)
        await new Promise<void>((resolve) => clock.at(clock.steady() + ms, resolve))
        return undefined
      },
    })
  return begun
}

describe.each(VERSIONS)('Cluster API %s', (version) => {
  it('where all is applied, each object gets our marks by one request, and nothing else', async () => {
    const story = await upstreamApplied(`continuous-takeover-${version}`, version)
    const bindings = CLUSTERS.map((c) => story.binding(c)?.spec)
    const before = CLUSTERS.map((c) => lives(story, c))
    const from = story.fleet.commits.length
    await takeOver(story)
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    expect(ours(story, from)).toEqual([MARKS, MARKS, MARKS])
    expect(theirs(story, from)).toEqual(NONE)
    for (const c of CLUSTERS)
      for (const [resource, name] of OBJECTS)
        expect(story.live(c, resource, name)?.metadata.labels?.[UNIT_LABEL]).toBeDefined()
    await story.pass(60)
    const quiet = story.fleet.commits.length
    await story.pass(1800)
    expect(CLUSTERS.map((c) => story.writesBy(c, quiet))).toEqual(NONE)
    expect(CLUSTERS.map((c) => lives(story, c))).toEqual(before)
    expect(CLUSTERS.map((c) => story.binding(c)?.spec)).toEqual(bindings)
  })

  it('somebody removes the pause during a delivery: it stops, is asked for anew, and goes on to its end', async () => {
    const lagMs = (what: string) => (what === 'clusterresourcesets' ? 3000 : 0)
    const story = await upstreamApplied(`continuous-removed-${version}`, version, { lagMs })
    await takeOver(story)
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    await story.annotate('crs1', { [SET.maxUnavailable]: '100%' })
    await story.pass(30)
    const names = Array.from({ length: 30 }, (_, i) => `n${i}`)
    const from = story.fleet.commits.length
    const begun = slowWrites(story, 500)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), web, ...names.map((n) => config(n))) })
    expect(await story.until(() => begun.length > 3, 30)).toBe(true)
    await story.annotate('crs1', { [CAPI_PAUSED]: null })
    await story.pass(0.1)
    expect(story.pauseOf('crs1')).toBe('lockstep')
    const [known, older] = [begun.length, names.filter((n) => valueOn(story, 'c1', n) === undefined)]
    await story.pass(2)
    expect([begun.length, older.length > 0]).toEqual([known, true])
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    // None but on Cluster API's word.
    expect(new Set(begun)).toEqual(new Set(['lockstep True/Paused']))
    for (const c of CLUSTERS) {
      expect(names.map((n) => valueOn(story, c, n))).toEqual(names.map(() => '1'))
      expect(valueOn(story, c, 'x')).toBe('2')
    }
    expect(theirs(story, from)).toEqual(NONE)
  })
})

describe('while it is ours', () => {
  const version = '1.13'

  it('where an entry is of another content, that cluster gets it once, the others our marks alone', async () => {
    const story = await upstreamApplied(`continuous-owed-${version}`, version)
    const entries = () =>
      CLUSTERS.map((c) => story.binding(c)!.spec.bindings![0]!.resources![0]!).map((r) => r.hash)
    const back = story.keepAway('c2')
    await story.pass(60)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), web) })
    expect(await story.until(() => valueOn(story, 'c3', 'x') === '2', 120)).toBe(true)
    await story.pass(30)
    expect(CLUSTERS.map((c) => valueOn(story, c, 'x'))).toEqual(['2', '1', '2'])
    const [fresh, older] = entries()
    expect(older).not.toBe(fresh)
    const from = story.fleet.commits.length
    await takeOver(story)
    expect(await story.until(() => story.isTaken('crs1'), 60)).toBe(true)
    back()
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    await story.pass(1800)
    expect(ours(story, from)).toEqual([MARKS, [...MARKS, 'apply configmaps default/x'], MARKS])
    expect(valueOn(story, 'c2', 'x')).toBe('2')
    expect(entries()).toEqual([fresh, fresh, fresh])
    expect(theirs(story, from)).toEqual(NONE)
  })

  it("a user's pause holds until the user takes it away, and is the user's again afterwards (18)", async () => {
    const story = await upstreamApplied(`continuous-paused-${version}`, version)
    await story.annotate('crs1', { [CAPI_PAUSED]: 'true' })
    await story.pass(5)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), web) })
    const from = story.fleet.commits.length
    await takeOver(story)
    expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
    await story.pass(600)
    expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual(NONE)
    await story.annotate('crs1', { [SET.paused]: null })
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    expect(CLUSTERS.map((c) => valueOn(story, c, 'x'))).toEqual(['2', '2', '2'])
    await story.annotate('crs1', { [SET.paused]: 'true' })
    await story.annotate('crs1', { [SET.managed]: null })
    expect(await story.until(() => story.pauseOf('crs1') === 'true', 60)).toBe(true)
    expect(story.seeSet('crs1')?.metadata.annotations?.[SET.paused]).toBeUndefined()
    expect(theirs(story, from)).toEqual(NONE)
  })

  it.each(['entry', 'binding'])(
    'Cluster API, by what it knows no more, takes our %s away: it is back, and nothing is applied',
    async (what) => {
      const lagMs = (cache: string) => (cache === 'clusterresourcesetbindings' ? 20_000 : 0)
      const story = await upstreamApplied(`continuous-stale-${what}-${version}`, version, { lagMs })
      await story.source('other', { 'o.yaml': yaml(config('o')) })
      await story.appliedUpstream('crs2', sources('other'), 'Reconcile', CLUSTERS)
      await takeOver(story)
      expect(await story.until(() => isInSync(story), 60)).toBe(true)
      await story.pass(60)
      await story.source('a', { 'a.yaml': yaml(config('x', '2'), web) })
      expect(await story.until(() => valueOn(story, 'c3', 'x') === '2' && isInSync(story), 60)).toBe(true)
      const entryIn = (binding: unknown): JsonValue | undefined =>
        (binding as ClusterResourceSetBinding | undefined)?.spec.bindings?.find(
          (b) => b.clusterResourceSetName === 'crs1',
        ) as JsonValue | undefined
      const entryOf = () => CLUSTERS.map((c) => entryIn(story.binding(c)))
      await story.pass(1)
      const entries = entryOf()
      const from = story.fleet.commits.length
      if (what === 'entry') await story.removeSet('crs2')
      else await story.remove(story.manager.hub.setBindings.kind!, 'c1')
      const isLost = () =>
        story.fleet.commits.slice(from).some(({ cluster, resource, next }) => {
          if (cluster !== 'hub' || !resource.startsWith('clusterresourcesetbindings')) return false
          return what === 'binding' ? next === undefined : !entries.some((e) => jsonEqual(e, entryIn(next)))
        })
      expect(await story.until(isLost, 10)).toBe(true)
      await story.pass(2)
      expect(entryOf()).toEqual(entries)
      await story.pass(60)
      expect(entryOf()).toEqual(entries)
      expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual(NONE)
    },
  )
})

describe.each(VERSIONS)('handed back to Cluster API %s', (version) => {
  it('nothing of us is left, and it writes nothing; taken over again, it ends as before', async () => {
    const story = await upstreamApplied(`continuous-handback-${version}`, version)
    const before = CLUSTERS.map((c) => lives(story, c))
    const bindings = CLUSTERS.map((c) => story.binding(c)?.spec)
    await takeOver(story)
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    await story.pass(30)
    const from = story.fleet.commits.length
    await story.annotate('crs1', { [SET.managed]: null })
    expect(await story.until(() => story.condition('crs1', 'Paused').startsWith('False'), 60)).toBe(true)
    await story.touch('crs1', 3)
    expect(theirs(story, from)).toEqual(NONE)
    expect(ours(story, from)).toEqual([MARKS, MARKS, MARKS])
    for (const c of CLUSTERS) {
      for (const [resource, name] of OBJECTS)
        expect(story.live(c, resource, name)?.metadata.labels?.[UNIT_LABEL]).toBeUndefined()
      expect(story.fleet.clusters.get(c)!.api.local.list('configmaps').filter(isStamp)).toEqual([])
    }
    expect(story.pauseOf('crs1')).toBeUndefined()
    expect(story.inventories).toEqual([])
    expect([...story.manager.hub.modules.store.all()]).toEqual([])
    for (const type of ['lockstep.dev/Managed', 'lockstep.dev/Converged', 'Ready', 'Reconciling', 'Stalled'])
      expect(story.condition('crs1', type)).toBe('')
    const again = story.fleet.commits.length
    await takeOver(story)
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    // What they say was ours from the first time on: applied, with our marks.
    expect(ours(story, again)).toEqual(
      [MARKS, MARKS, MARKS].map((m) => m.map((w) => w.replace('patch', 'apply'))),
    )
    await story.pass(60)
    const quiet = story.fleet.commits.length
    await story.pass(1800)
    expect(CLUSTERS.map((c) => story.writesBy(c, quiet))).toEqual(NONE)
    expect(CLUSTERS.map((c) => lives(story, c))).toEqual(before)
    expect(CLUSTERS.map((c) => story.binding(c)?.spec)).toEqual(bindings)
  })
})

/** Every so many-eth request; each of them in the deep run. */
const STEP = process.env.LOCKSTEP_EVERY_WRITE ? 1 : 9

it('killed at any of its requests to the hub, over takeover and hand-back, the next process ends alike', {
  timeout: patience(240_000),
}, async () => {
  let isOver = false
  let deaths = 0
  for (let n = 1; !isOver; n += STEP) {
    const story = await upstreamApplied(`continuous-death-${n}`, '1.13')
    const from = story.fleet.commits.length
    const before = CLUSTERS.map((c) => lives(story, c))
    const dead = story.dieAt(n)
    await takeOver(story)
    await story.until(() => dead() || isInSync(story), 60)
    if (dead()) story.restart()
    expect(await story.until(() => isInSync(story), 120)).toBe(true)
    // What was on its way at the death is asked for once more: it says nothing else.
    for (const writes of ours(story, from)) {
      expect(writes).toEqual(expect.arrayContaining(MARKS))
      const again = writes.filter((w) => !MARKS.includes(w))
      expect(MARKS.map((w) => w.replace('patch', 'apply'))).toEqual(expect.arrayContaining(again))
      expect(new Set(writes).size).toBe(writes.length)
    }
    expect(CLUSTERS.map((c) => lives(story, c))).toEqual(before)
    const isDeadBefore = dead()
    await story.annotate('crs1', { [SET.managed]: null })
    const isBack = () => story.condition('crs1', 'Paused').startsWith('False')
    await story.until(() => isBack() || (dead() && !isDeadBefore), 120)
    if (dead() && !isDeadBefore) story.restart()
    expect(await story.until(isBack, 120)).toBe(true)
    await story.touch('crs1', 2)
    expect(theirs(story, from)).toEqual(NONE)
    expect(story.inventories).toEqual([])
    expect(CLUSTERS.map((c) => lives(story, c))).toEqual(before)
    isOver = !dead()
    if (dead()) deaths++
    story.upstream.kill()
    story.manager.stop()
  }
  expect(deaths).toBeGreaterThan(2)
})
