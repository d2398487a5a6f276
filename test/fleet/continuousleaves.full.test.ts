/** ClusterResourceSets that are Continuous, and clusters that leave them, come again as others, or wait: what is done, and said. */
import { describe, expect, it } from 'vitest'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import {
  config,
  continuous,
  convergedOf,
  deliveredOn,
  inSync,
  isInSync,
  moduleOf,
  valueOn,
} from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { NAMESPACE } from './simfleet.ts'

const ALL_AT_ONCE = { [SET.maxUnavailable]: '100%' }
const recreate = (story: SetStory, cluster: string) => story.recreate(cluster, () => {})

/** From now on nothing can be written there. */
function refuse(story: SetStory, cluster: string): () => void {
  let isRefusing = true
  story.fleet.env.net.wire(`https://${cluster}.test`, {
    before: async ({ method }) =>
      isRefusing && method !== 'GET' ? { phase: 'connect', detail: 'connect ETIMEDOUT' } : undefined,
  })
  return () => {
    isRefusing = false
  }
}

describe('a cluster that is not selected any more', () => {
  const relabelled = async (name: string, annotations: Readonly<Record<string, string>>) => {
    const story = await inSync(name, ['c1', 'c2'], { ...ALL_AT_ONCE, ...annotations })
    await story.label('c1', { env: 'dev' })
    expect(await story.until(() => deliveredOn(story, 'c1') === undefined, 60)).toBe(true)
    expect(await story.until(() => isInSync(story), 30)).toBe(true)
    expect(valueOn(story, 'c2', 'x')).toBe('1')
    return ['x', 'y'].map((n) => valueOn(story, 'c1', n))
  }

  it('with prune: "true" is cleaned, whatever becomes of objects when the set is deleted', async () => {
    expect(await relabelled('leaves-pruned', { [SET.prune]: 'true' })).toEqual([undefined, undefined])
  })

  it('else keeps what it has, also where the objects go with the set', async () => {
    expect(await relabelled('leaves-kept', { [SET.deletionPolicy]: 'Delete' })).toEqual(['1', '1'])
  })
})

describe('a cluster made anew under its name', () => {
  it('gets no assignment in the Inventory of the one before, though its deletion takes long', async () => {
    const story = await inSync('leaves-former', ['c1'])
    const { clock, net } = story.fleet.env
    net.wire('https://hub.test', {
      async before({ method, path }) {
        if (method === 'PATCH' && path.includes('/inventories/m.'))
          await new Promise<void>((resolve) => clock.at(clock.steady() + 5000, resolve))
        return undefined
      },
    })
    const former = story.fleet.inventories().map((i) => i.metadata.uid)
    await recreate(story, 'c1')
    const from = story.fleet.commits.length
    expect(await story.until(() => isInSync(story) && valueOn(story, 'c1', 'x') === '1', 120)).toBe(true)
    const assigned = (o: KubeObject | undefined): string => JSON.stringify(o && at(o, 'spec', 'assigned'))
    const changed = story.fleet.commits
      .slice(from)
      .filter(({ old, next }) => former.includes(next?.metadata.uid) && assigned(old) !== assigned(next))
    expect(changed.map((c) => `${c.verb} ${c.key}`)).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is said to have nothing before it has: what was delivered to the one before counts no more', async () => {
    const story = await inSync('leaves-anew', ['c1'])
    const applied = () => story.entry('c1', 'crs1').filter((e) => e.endsWith(' applied'))
    expect(applied()).not.toEqual([])
    const back = refuse(story, 'c1')
    await recreate(story, 'c1')
    const from = story.fleet.commits.length
    await story.pass(120)
    const said = story.fleet.commits
      .slice(from)
      .filter((c) => c.resource === 'inventories.lockstep.dev' && c.key === `${NAMESPACE}/s.crs1.c1`)
    expect(JSON.stringify(said.map((c) => c.next?.spec))).not.toContain('"applied":true')
    expect(story.entry('c1', 'crs1')).not.toContain('ConfigMap/a applied')
    back()
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '1' && isInSync(story), 600)).toBe(true)
    expect(story.entry('c1', 'crs1')).toEqual(['ConfigMap/a applied'])
  })

  it('which nothing may be written to, is not said to have what the one before had, by its binding either', async () => {
    const story = await SetStory.open('leaves-paused-anew', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('once', sources('a'))
    expect(await story.until(() => story.isApplied('once', ['c1']), 30)).toBe(true)
    const back = refuse(story, 'c1')
    await recreate(story, 'c1')
    expect(await story.until(() => story.entry('c1', 'once').join() === 'ConfigMap/a not applied', 60)).toBe(
      true,
    )
    back()
    expect(await story.until(() => story.isApplied('once', ['c1']), 60)).toBe(true)
    expect(valueOn(story, 'c1', 'x')).toBe('1')
  })

  it('is itself, also where a set that is not Continuous has written to the one before', async () => {
    const story = await SetStory.open('leaves-itself', ['c1'])
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    await story.set('once', sources('b'))
    expect(await story.until(() => story.isApplied('once', ['c1']), 30)).toBe(true)
    // From now on nothing of it says which cluster is there.
    await story.set('once', sources('b'), { annotations: { [SET.paused]: 'true' } })
    await recreate(story, 'c1')
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 60), convergedOf(story)).toBe(true)
    expect(valueOn(story, 'c1', 'x')).toBe('1')
  })

  it('is named, and why, where it waits for a person before anything of the set is there', async () => {
    const story = await inSync('leaves-named', ['c1'])
    story.fleet.remake('c1')
    await story.pass(60)
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    await story.set('crs2', sources('b'), continuous())
    await story.pass(60)
    for (const set of ['crs1', 'crs2'])
      expect(convergedOf(story, set), set).toContain('IdentityChanged: cluster c1 has another identity')
  })
})

/** A Deployment that does not become ready on c1, and a set of it that is under way there. */
async function amid(name: string) {
  const story = await SetStory.open(name, ['c1', 'c2'])
  const slow = { image: 'web:1', outcome: 'NeverReady' } as const
  const { world } = story.fleet.clusters.get('c1')!
  world.fail(slow)
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'web:1' }] },
  }
  const spec = { selector: { matchLabels: { app: 'web' } }, template }
  await story.source('a', { 'a.yaml': yaml(config('x'), manifest('Deployment', 'web', { spec })) })
  await story.set('crs1', sources('a'), continuous())
  await story.pass(10)
  return { story, heal: () => world.heal(slow) }
}

it('a set that is paused amid a delivery is not late when it goes on: its Module is held, and says by whom', async () => {
  const { story, heal } = await amid('leaves-amid')
  await story.set('crs1', sources('a'), continuous({ [SET.paused]: 'true' }))
  await story.pass(3600)
  const [blocker] = moduleOf(story)?.status?.blockers ?? []
  expect(`${blocker?.reason}: ${blocker?.message}`).toBe(
    'Held: suspended by Hold lockstep.dev/paused of ClusterResourceSet crs1',
  )
  heal()
  await story.pass(5)
  await story.set('crs1', sources('a'), continuous())
  expect(await story.until(() => isInSync(story), 60), story.said('crs1', 'Ready')).toBe(true)
})

it('an hour of pause is no time in which an object should have become healthy', async () => {
  const { story } = await amid('leaves-late')
  await story.set('crs1', sources('a'), continuous({ [SET.paused]: 'true' }))
  await story.pass(3600)
  await story.set('crs1', sources('a'), continuous())
  await story.pass(500)
  expect(convergedOf(story)).not.toContain('HealthTimeout')
  await story.pass(200)
  expect(convergedOf(story)).toContain('HealthTimeout: Deployment default/web is not healthy after 600s')
})

describe('a set that another one relies on', () => {
  const relied = async (name: string) => {
    const story = await inSync(name, ['c1'])
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    const edge = [{ id: 'first', module: { kind: 'ClusterResourceSet', name: 'crs1' } }]
    await story.set('crs2', sources('b'), continuous({ [SET.dependsOn]: JSON.stringify(edge) }))
    expect(await story.until(() => isInSync(story, 'crs2'), 60)).toBe(true)
    return story
  }
  const RELIES =
    'waiting for dependent ClusterResourceSet crs2 on c1 to be removed; delete it, or change its lockstep.dev/depends-on'

  it('says so where it is let go of, and goes once that one has left', async () => {
    const story = await relied('leaves-let-go')
    await story.set('crs1', sources('a'), continuous({ [SET.managed]: 'false' }))
    const ready = () => story.said('crs1', 'Ready')
    expect(await story.until(() => ready() === `False/DependentsRemain: ${RELIES}`, 60), ready()).toBe(true)
    await story.removeSet('crs2')
    expect(await story.until(() => moduleOf(story) === undefined && ready() === '', 60), ready()).toBe(true)
  })

  it('says so where it is another mode that it is to have', async () => {
    const story = await relied('leaves-mode')
    await story.source('a', { 'a.yaml': yaml(config('x', '2'), config('y')) })
    await story.set('crs1', sources('a'), continuous({ [SET.mode]: 'Reconcile' }))
    expect(await story.until(() => story.said('crs1').includes(RELIES), 60), story.said('crs1')).toBe(true)
    await story.removeSet('crs2')
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '2', 60)).toBe(true)
    expect(await story.until(() => story.said('crs1', 'Ready').startsWith('True/'), 10)).toBe(true)
  })
})

describe('a set that is being deleted', () => {
  it('says which other one relies on it', async () => {
    const story = await inSync('leaves-relied', ['c1'])
    await story.source('b', { 'b.yaml': yaml(config('z')) })
    const edge = [{ id: 'first', module: { kind: 'ClusterResourceSet', name: 'crs1' } }]
    await story.set('crs2', sources('b'), continuous({ [SET.dependsOn]: JSON.stringify(edge) }))
    expect(await story.until(() => isInSync(story, 'crs2'), 60)).toBe(true)
    await story.removeSet('crs1')
    const ready = () => story.said('crs1', 'Ready')
    expect(await story.until(() => ready().startsWith('False/DependentsRemain'), 60), ready()).toBe(true)
    expect(ready()).toBe(
      'False/DependentsRemain: waiting for dependent ClusterResourceSet crs2 on c1 to be removed; delete it, or change its lockstep.dev/depends-on',
    )
    await story.removeSet('crs2')
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
  })

  it('says which paused cluster keeps its objects', async () => {
    const story = await inSync('leaves-paused', ['c1', 'c2'], {
      ...ALL_AT_ONCE,
      [SET.deletionPolicy]: 'Delete',
    })
    await story.pause('c2', true)
    await story.pass(5)
    await story.removeSet('crs1')
    const ready = () => story.said('crs1', 'Ready')
    expect(await story.until(() => ready().includes('c2'), 60), ready()).toBe(true)
    await story.pause('c2', false)
    expect(await story.until(() => story.seeSet('crs1') === undefined, 60)).toBe(true)
  })
})
