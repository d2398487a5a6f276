/**
 * What ends the wait of a ClusterResourceSet in ApplyOnce or Reconcile before its time: the kind is
 * served, the namespace is there, the cluster answers.
 */
import { describe, expect, it } from 'vitest'
import { crdKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { GADGETS, gadget } from './gadgets.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { NAMESPACE } from './simfleet.ts'

const MODES = ['ApplyOnce', 'Reconcile'] as const

async function asked(name: string, strategy: string, ...objects: readonly object[]): Promise<SetStory> {
  const story = await SetStory.open(name, ['c1'])
  await story.source('a', { 'a.yaml': yaml(...objects) })
  await story.set('crs1', sources('a'), { strategy })
  return story
}

const config = (name: string, namespace = 'default') => ({
  ...manifest('ConfigMap', name),
  metadata: { name, namespace },
})

/** Writes of ours to a cluster, refused or not, from now on. */
function tries(story: SetStory): string[] {
  const seen: string[] = []
  story.fleet.env.net.wire('https://c1.test', {
    before: async ({ method, path, headers }) => {
      const isOurs = String(headers['user-agent'] ?? '').startsWith('lockstep')
      if (isOurs && method !== 'GET') seen.push(`${method} ${path}`)
      return undefined
    },
  })
  return seen
}

/** Of what was written where: its collection, or its name. */
const WRITES = {
  ApplyOnce: ['namespaces', 'customresourcedefinitions', 'gadgets'],
  Reconcile: ['late', 'gadgets.x.test', 'g'],
}

describe.each(MODES)('%s', (mode) => {
  it.each([20, 600])(
    'an operator that defines its kind after %i s, and an object of that kind: it is there within 3 s of that',
    async (seconds) => {
      const story = await asked(`sets-operator-${mode}-${seconds}`, mode, gadget('default'), config('x'))
      await story.pass(seconds)
      expect(story.live('c1', 'configmaps', 'x')).toBeDefined()
      expect(story.said('crs1')).toContain('no API serves x.test/v1 Gadget')
      await story.createOn('c1', crdKind, GADGETS as never)
      expect(await story.until(() => story.live('c1', 'gadgets.x.test', 'g') !== undefined, 3)).toBe(true)
      expect(await story.until(() => story.isApplied('crs1', ['c1']), 3)).toBe(true)
    },
  )

  it('a definition, an object of its kind, and both namespace and content: nothing is refused, all is there at once', async () => {
    const story = await SetStory.open(`sets-wrong-order-${mode}`, ['c1'])
    const seen = tries(story)
    await story.source('a', { 'a.yaml': yaml(gadget('late'), GADGETS, manifest('Namespace', 'late')) })
    await story.set('crs1', sources('a'), { strategy: mode })
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 4)).toBe(true)
    expect(seen.map((r) => r.split('?')[0]!.split('/').at(-1))).toEqual(WRITES[mode])
    expect(story.stamps('c1')).toEqual([])
  })

  it.each([12, 700])('a namespace that comes after %i s: what is in it follows at once', async (seconds) => {
    const story = await asked(`sets-namespace-${mode}-${seconds}`, mode, config('x', 'late'))
    await story.pass(seconds)
    expect(story.said('crs1')).toContain('Namespace late does not exist')
    const late = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } } as KubeObject
    await story.createOn('c1', namespaceKind as never, late)
    expect(await story.until(() => story.live('c1', 'configmaps', 'x', 'late') !== undefined, 1)).toBe(true)
    expect(await story.until(() => story.isApplied('crs1', ['c1']), 2)).toBe(true)
  })
})

const sessionOf = ({ manager: { fleet } }: SetStory) =>
  fleet.session(fleet.view(NAMESPACE, 'c1')!, { namespace: NAMESPACE })

it('a cluster that answers again: what was refused is tried at once, before its time', async () => {
  const story = await SetStory.open('sets-away', ['c1'])
  const { clock, net } = story.fleet.env
  let triedAt = 0
  const isRefused = { name: 'x', times: Number.POSITIVE_INFINITY }
  story.posts('c1', isRefused, () => {
    triedAt = clock.steady()
  })
  await story.source('a', { 'a.yaml': yaml(config('x')) })
  await story.set('crs1', sources('a'))
  // By then it is tried once in a minute.
  await story.pass(900)
  const before = triedAt
  expect(await story.until(() => triedAt > before, 60)).toBe(true)
  await story.pass(20)
  // The next one finds nobody.
  const last = triedAt
  let isAway = true
  net.wire('https://c1.test', {
    before: async () => (isAway ? { phase: 'connect', detail: 'connect ECONNREFUSED' } : undefined),
  })
  net.cut('https://c1.test')
  expect(await story.until(() => sessionOf(story)?.state === 'Unreachable', 55)).toBe(true)
  isAway = false
  expect(await story.until(() => sessionOf(story)?.state === 'Connected', 60)).toBe(true)
  expect(clock.steady()).toBeLessThan(last + 118_000)
  expect(await story.until(() => triedAt > last, 1)).toBe(true)
})

it('what a cluster serves changes: what is said of a set there stays, and nothing but its objects is written there', async () => {
  const story = await asked('sets-served', 'Reconcile', config('x', 'nowhere'), config('y'))
  await story.pass(60)
  const [from, before] = [story.fleet.commits.length, story.inventories]
  expect(before[0]?.status?.blockers).toMatchObject([
    { reason: 'ApplyFailed', on: [{ kind: 'Object' }, { name: 'a', object: { kind: 'ConfigMap' } }] },
  ])
  await story.createOn('c1', crdKind, GADGETS as never)
  await story.during(sessionOf(story)!.discover())
  await story.pass(5)
  expect(story.inventories).toEqual(before)
  expect([story.writes('c1', from), story.stamps('c1')]).toEqual([[], []])
})
