/** ClusterResourceSets that Cluster API has applied, taken over: nothing is applied twice, nothing is lost. */
import { describe, expect, it } from 'vitest'
import { CAPI_PAUSED, SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import type { ClusterApiVersion } from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { manifest, sources, yaml } from './setstory.ts'
import { TakeoverStory } from './takeoverstory.ts'

const CLUSTERS = ['c1', 'c2', 'c3']
const config = (name: string, v = '1') => manifest('ConfigMap', name, { data: { v } })

async function upstreamApplied(name: string, version: ClusterApiVersion, strategy: string) {
  const story = await TakeoverStory.with(name, version, CLUSTERS)
  await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
  await story.source('secret-b', { 'b.yaml': yaml(config('z')) })
  await story.appliedUpstream('crs1', sources('a', 'secret-b'), strategy, CLUSTERS)
  return story
}

describe.each<ClusterApiVersion>(['1.9', '1.13'])('Cluster API %s', (version) => {
  it.each(['ApplyOnce', 'Reconcile'])(
    '%s: taken over without a write, and for half an hour none',
    async (strategy) => {
      const story = await upstreamApplied(`takeover-${version}-${strategy}`, version, strategy)
      const before = CLUSTERS.map((c) => story.binding(c)?.spec)
      const from = story.fleet.commits.length
      await story.takeOver('crs1')
      expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
      await story.pass(1800)
      expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], [], []])
      expect(CLUSTERS.map((c) => story.binding(c)?.spec)).toEqual(before)
      expect(story.pauseOf('crs1')).toBe('lockstep')
      expect(story.condition('crs1', 'Paused')).toMatch(/^True/)
      expect(story.condition('crs1', 'ResourcesApplied')).toMatch(/^True\/Applied/)
    },
  )

  it('where an entry is of another content, that cluster gets it once, the others nothing', async () => {
    const story = await upstreamApplied(`takeover-older-${version}`, version, 'Reconcile')
    const back = story.keepAway('c2')
    await story.pass(60)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
    const has = (c: string) => (story.live(c, 'configmaps', 'x') as { data?: { v?: string } })?.data?.v
    expect(await story.until(() => has('c1') === '2' && has('c3') === '2', 120)).toBe(true)
    await story.pass(30)
    expect(has('c2')).toBe('1')
    const from = story.fleet.commits.length
    await story.takeOver('crs1')
    expect(await story.until(() => story.isTaken('crs1'), 60)).toBe(true)
    back()
    expect(await story.until(() => has('c2') === '2', 60)).toBe(true)
    await story.pass(1800)
    expect([story.writesBy('c1', from), story.writesBy('c3', from)]).toEqual([[], []])
    const applied = story.writesBy('c2', from).filter((w) => w.includes(' apply '))
    expect(applied).toEqual(['lockstep apply default/x', 'lockstep apply default/y'])
    expect(new Set(CLUSTERS.map((c) => story.binding(c)!.spec.bindings![0]!.resources![0]!.hash)).size).toBe(
      1,
    )
  })

  it('what changed while its user had paused it waits for the user, and is applied once', async () => {
    const story = await upstreamApplied(`takeover-owed-${version}`, version, 'Reconcile')
    await story.pause('c2', true)
    await story.annotate('crs1', { [CAPI_PAUSED]: 'true' })
    await story.pass(5)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
    await story.pass(5)
    await story.pause('c2', false)
    const from = story.fleet.commits.length
    await story.annotate('crs1', { [SET.managed]: 'true' })
    await story.pass(120)
    // The user had paused it: that stays so.
    expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], [], []])
    expect(story.pauseOf('crs1')).toBe('lockstep')
    await story.annotate('crs1', { [SET.paused]: null })
    expect(await story.until(() => story.live('c1', 'configmaps', 'x')?.data !== undefined, 1)).toBe(true)
    await story.pass(20)
    for (const c of CLUSTERS) {
      expect(story.live(c, 'configmaps', 'x')).toMatchObject({ data: { v: '2' } })
      // Each object is applied once; then what it says becomes ours alone.
      const writes = story.writesBy(c, from)
      expect(writes.filter((w) => w.includes(' apply ')).length).toBeLessThanOrEqual(2)
      expect(new Set(writes).size).toBe(writes.length)
    }
  })

  it('a pause that somebody removes is set again, and said', async () => {
    const story = await upstreamApplied(`takeover-removed-${version}`, version, 'Reconcile')
    await story.takeOver('crs1')
    expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
    const from = story.fleet.commits.length
    await story.annotate('crs1', { [CAPI_PAUSED]: null })
    expect(await story.until(() => story.pauseOf('crs1') === 'lockstep', 2)).toBe(true)
    await story.pass(60)
    expect(story.isTaken('crs1')).toBe(true)
    expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], [], []])
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
    await story.pass(20)
    expect(story.live('c1', 'configmaps', 'x')).toMatchObject({ data: { v: '2' } })
  })
})

describe.each<ClusterApiVersion>(['1.9', '1.13'])('handed back to Cluster API %s', (version) => {
  it.each(['ApplyOnce', 'Reconcile'])(
    '%s: it writes nothing, and nothing of us is left; taken over again, nothing is written either',
    async (strategy) => {
      const story = await upstreamApplied(`handback-${version}-${strategy}`, version, strategy)
      const from = story.fleet.commits.length
      await story.takeOver('crs1')
      expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
      await story.pass(30)
      await story.annotate('crs1', { [SET.managed]: null })
      expect(await story.until(() => story.condition('crs1', 'Paused').startsWith('False'), 60)).toBe(true)
      await story.touch('crs1', 3)
      expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], [], []])
      expect(story.pauseOf('crs1')).toBeUndefined()
      expect(story.inventories).toEqual([])
      expect(story.condition('crs1', 'lockstep.dev/Managed')).toBe('')
      expect(story.condition('crs1', 'Ready')).toBe('')
      await story.takeOver('crs1')
      expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
      await story.pass(1800)
      expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], [], []])
    },
  )

  it('what was applied by us is what Cluster API finds: it applies nothing', async () => {
    const story = await upstreamApplied(`handback-changed-${version}`, version, 'Reconcile')
    await story.takeOver('crs1')
    expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
    expect(await story.until(() => story.isApplied('crs1', CLUSTERS), 20)).toBe(true)
    await story.pass(10)
    const from = story.fleet.commits.length
    await story.annotate('crs1', { [SET.managed]: null })
    expect(await story.until(() => story.condition('crs1', 'Paused').startsWith('False'), 60)).toBe(true)
    await story.touch('crs1', 3)
    expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], [], []])
  })

  it("a user's pause is a user's again", async () => {
    const story = await upstreamApplied(`handback-paused-${version}`, version, 'Reconcile')
    await story.annotate('crs1', { [CAPI_PAUSED]: 'true' })
    await story.pass(5)
    await story.takeOver('crs1')
    expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
    await story.annotate('crs1', { [SET.managed]: null })
    expect(await story.until(() => story.pauseOf('crs1') === 'true', 30)).toBe(true)
    expect(story.seeSet('crs1')?.metadata.annotations?.[SET.paused]).toBeUndefined()
  })
})

it('handed back while an object is being written: that is written down first, and Cluster API does not write it again', async () => {
  const story = await upstreamApplied('handback-inflight', '1.9', 'Reconcile')
  await story.takeOver('crs1')
  expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
  const from = story.fleet.commits.length
  let isArmed = true
  story.fleet.env.net.wire('https://c1.test', {
    before: async ({ method }) => {
      if (!isArmed || method !== 'PATCH') return undefined
      isArmed = false
      const { clock } = story.fleet.env
      await new Promise<void>((resolve) => clock.at(clock.steady() + 5000, resolve))
      return undefined
    },
  })
  await story.source('a', { 'a.yaml': yaml(config('x', '2')) })
  expect(await story.until(() => !isArmed, 20)).toBe(true)
  await story.annotate('crs1', { [SET.managed]: null })
  expect(await story.until(() => story.condition('crs1', 'Paused').startsWith('False'), 60)).toBe(true)
  await story.touch('crs1', 2)
  expect(story.writesBy('c1', from)).toEqual(['lockstep apply default/x'])
})

it('a value of managed that is none hands nothing back, and pauses of any value are obeyed', async () => {
  const story = await upstreamApplied('managed-bad', '1.9', 'Reconcile')
  await story.takeOver('crs1')
  expect(await story.until(() => story.isTaken('crs1'), 30)).toBe(true)
  await story.annotate('crs1', { [SET.managed]: 'True' })
  await story.pass(60)
  expect(story.pauseOf('crs1')).toBe('lockstep')
  expect(story.condition('crs1', 'Ready')).toContain('lockstep.dev/managed: "True"')
  const from = story.fleet.commits.length
  await story.annotate('crs1', { [SET.managed]: 'true', [SET.paused]: 'yes' })
  await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
  await story.pass(60)
  expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], [], []])
})

it('Cluster API 1.8 cannot acknowledge: it is said after a minute, and nothing is ever written', async () => {
  const story = await upstreamApplied('takeover-1.8', '1.8', 'ApplyOnce')
  const from = story.fleet.commits.length
  await story.takeOver('crs1')
  await story.pass(70)
  expect(story.condition('crs1', 'lockstep.dev/Managed')).toMatch(
    /^False\/PreviousControllerActive: Cluster API's controller \(Lease capi-system\/controller-leader-election-capi, renewed \d+ s ago\) has not acknowledged the pause; versions before 1\.9 cannot: upgrade, or disable its ClusterResourceSet feature$/,
  )
  await story.source('a', { 'a.yaml': yaml(config('new')) })
  await story.pass(3600)
  expect(CLUSTERS.map((c) => story.writesBy(c, from))).toEqual([[], [], []])
})
