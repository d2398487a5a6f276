/** A module is deleted, and a cluster that has it cannot be reached: it is waited for, brought back, or given up. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { inventoryKind, moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { ORPHAN_ANNOTATION, ORPHANED_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { patience } from '../patience.ts'
import { spawn } from '../simulation/process.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'
import { deathsOf } from './writedeaths.ts'

const REPLACE = { rollout: { strategy: 'Replace' } }
/** What is waited for in vain is known to be silent after less. */
const SILENT = 180

const isThere = (story: Story, name: string): boolean =>
  story.manager.hub.modules.store.get({ namespace: NAMESPACE, name }) !== undefined
const isGone = (story: Story, name: string) => story.until(() => !isThere(story, name), 300)

const silence = (story: Story, cluster: string): void =>
  story.fleet.env.net.unserve(`https://${cluster}.test`)
const serve = (story: Story, cluster: string): void =>
  story.fleet.env.net.serve(`https://${cluster}.test`, story.fleet.clusters.get(cluster)!.api.handle)

const orphan = async (story: Story, name: string, clusters: string): Promise<void> => {
  const patch = { metadata: { annotations: { [ORPHAN_ANNOTATION]: clusters } } }
  must(await story.during(story.fleet.hub.patch(moduleKind, { namespace: NAMESPACE, name }, patch, USER)))
}

const forget = async (story: Story, cluster: string): Promise<void> => {
  const key = { namespace: NAMESPACE, name: cluster }
  must(await story.during(story.fleet.hub.delete(secretKind, key, USER)))
}
const remember = async (story: Story, cluster: string): Promise<void> => {
  const secret = clusterSecret(cluster, { env: 'prod' })
  must(await story.during(story.fleet.hub.create(secretKind, secret, { purpose: 'user', manager: 'user' })))
}

const recordsOn = (story: Story, cluster: string): string[] =>
  story.inventories
    .filter((i) => i.spec.clusterRef.name === cluster && i.spec.assigned)
    .map((i) => i.spec.moduleRef.name)

/** It is worked on again, and for a while. */
async function back(story: Story, cluster: string): Promise<void> {
  const isConnected = (): boolean => {
    const view = story.manager.fleet.view(NAMESPACE, cluster)
    return view !== undefined && story.manager.fleet.condition(view).state === 'Connected'
  }
  expect(await story.until(isConnected, 600)).toBe(true)
  await story.pass(60)
}

/** Delivered everywhere; then some clusters are silent. */
async function silent(
  name: string,
  clusters: readonly string[],
  lost: readonly string[],
  modules: readonly string[] = ['web'],
): Promise<Story> {
  const story = await Story.begin(name, clusters)
  for (const [i, m] of modules.entries()) {
    await story.config(m, `${configManifest(m, '1')}---\n${configManifest(`${m}-too`, '1')}`)
    await story.module(m, m, i === 0 ? REPLACE : { ...REPLACE, dependsOn: [modules[i - 1]!] })
  }
  expect(await story.until(() => modules.every((m) => story.isReady(m)))).toBe(true)
  for (const c of lost) silence(story, c)
  await story.pass(SILENT)
  return story
}

/** Nothing was written on the cluster since, and its Inventory is listed as an orphan. */
function expectUntouched(story: Story, cluster: string, from: number, name = 'web'): void {
  expect([...story.writes(cluster, from), ...story.stamps(cluster, from)]).toEqual([])
  const inventory = story.inventory(name, cluster)
  expect(inventory?.metadata.annotations?.[ORPHANED_ANNOTATION]).toBeDefined()
  expect([inventory?.status?.state, inventory?.spec.admitted]).toEqual(['Orphaned', undefined])
  expect(inventory?.spec.objects?.map((o) => o.name)).toEqual([name, `${name}-too`])
  expect(recordsOn(story, cluster)).toEqual([])
}

describe('deleted while a cluster cannot be reached', () => {
  it(
    'the others are emptied in reverse order, it says for whom it waits, and given up that one keeps what it has',
    async () => {
      const clusters = Array.from({ length: 10 }, (_, i) => `c${i}`)
      const story = await silent('deletion waits', clusters, ['c9'], ['web', 'dep'])
      const from = story.fleet.commits.length
      for (const m of ['web', 'dep']) await story.deleteModule(m)
      await story.pass(300)
      for (const c of clusters.slice(0, 9))
        expect(story.writes(c, from).map((w) => w.replace('delete configmaps default/', ''))).toEqual([
          ...['dep', 'dep-too'].sort(),
          ...['web', 'web-too'].sort(),
        ])
      for (const m of ['web', 'dep'])
        expect(story.blockers(m)[0]).toBe(
          `DeletionBlocked: 1 cluster unreachable (c9): restore it, or lockstep delete module ${m} --orphan c9`,
        )
      for (const m of ['dep', 'web']) await orphan(story, m, 'c9')
      expect([await isGone(story, 'dep'), await isGone(story, 'web')]).toEqual([true, true])
      serve(story, 'c9')
      await story.pass(3700)
      for (const m of ['dep', 'web']) expectUntouched(story, 'c9', from, m)
      expect(story.fleet.oracles.violations).toEqual([])
    },
    patience(120_000),
  )

  it('of several that are silent only the named ones are given up, and a named one that answers is emptied', async () => {
    const story = await silent('some of them', ['c0', 'c1', 'c2'], ['c1', 'c2'])
    const from = story.fleet.commits.length
    await story.deleteModule('web')
    await orphan(story, 'web', 'c0, c1')
    await story.pass(300)
    expect(story.blockers('web')).toEqual([
      'DeletionBlocked: 1 cluster unreachable (c2): restore it, or lockstep delete module web --orphan c2',
    ])
    expect([story.live('c0', 'configmaps', 'web'), recordsOn(story, 'c1')]).toEqual([undefined, []])
    // While it still waits, one that it has given up comes back, and one that it waits for.
    for (const c of ['c1', 'c2']) serve(story, c)
    expect(await isGone(story, 'web')).toBe(true)
    expect([story.live('c2', 'configmaps', 'web'), story.inventory('web', 'c2')]).toEqual([
      undefined,
      undefined,
    ])
    await back(story, 'c1')
    expectUntouched(story, 'c1', from)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('given up by taking it out of the inventory: back after the module is gone, it keeps what it has', async () => {
    const story = await silent('forgotten', ['c0', 'c1'], ['c1'])
    const from = story.fleet.commits.length
    await story.deleteModule('web')
    await story.pass(60)
    await forget(story, 'c1')
    expect(await isGone(story, 'web')).toBe(true)
    serve(story, 'c1')
    await remember(story, 'c1')
    await back(story, 'c1')
    expectUntouched(story, 'c1', from)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('taken out, and back while it is still waited for: it is emptied as it was to be', async () => {
    const story = await silent('back in time', ['c0', 'c1', 'c2'], ['c1', 'c2'])
    await story.deleteModule('web')
    await story.pass(60)
    await forget(story, 'c1')
    await story.pass(60)
    serve(story, 'c1')
    await remember(story, 'c1')
    expect(await story.until(() => story.inventory('web', 'c1') === undefined, 300)).toBe(true)
    expect([story.live('c1', 'configmaps', 'web'), isThere(story, 'web')]).toEqual([undefined, true])
    serve(story, 'c2')
    expect(await isGone(story, 'web')).toBe(true)
    expect(story.inventories).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('what was given up', () => {
  /** The module is gone, and the cluster is back. */
  async function givenUp(name: string): Promise<{ story: Story; from: number }> {
    const story = await silent(name, ['c0', 'c1'], ['c1'])
    const from = story.fleet.commits.length
    await story.deleteModule('web')
    await orphan(story, 'web', 'c1')
    expect(await isGone(story, 'web')).toBe(true)
    serve(story, 'c1')
    await back(story, 'c1')
    expectUntouched(story, 'c1', from)
    // At rest nothing is written any more but what collects the bundle that nobody needs.
    const rest = story.fleet.commits.length
    await story.pass(3600)
    const written = story.fleet.commits.slice(rest).map((c) => `${c.verb} ${c.resource}`)
    expect(written.filter((w) => w !== 'patch secrets')).toEqual([])
    return { story, from }
  }

  it('is let go of by deleting its Inventory, and nothing is written on the cluster', async () => {
    const { story, from } = await givenUp('inventory deleted')
    const key = { namespace: NAMESPACE, name: 'm.web.c1' }
    must(await story.during(story.fleet.hub.delete(inventoryKind, key, USER)))
    expect(await story.until(() => story.inventory('web', 'c1') === undefined, 60)).toBe(true)
    expect(story.writes('c1', from)).toEqual([])
  })

  it('goes from the hub after the retention, and stays on the cluster', async () => {
    const { story, from } = await givenUp('retention')
    story.manager.stop()
    const hub = story.fleet.env.net.connect({ url: 'https://hub.test' }, 'operator')
    const client = createHttpClient(story.fleet.env, 'hub', hub, 'lockstep-controller')
    story.manager = startManager(story.fleet.env, client, { orphanRetentionMs: 4 * 3_600_000 })
    await story.pass(3600)
    expectUntouched(story, 'c1', from)
    expect(await story.until(() => story.inventory('web', 'c1') === undefined, 4 * 3600)).toBe(true)
    expect(story.writes('c1', from)).toEqual([])
  })

  it('a module of that name that does not select the cluster leaves it alone, also when it goes', async () => {
    const { story, from } = await givenUp('elsewhere')
    await story.module('web', 'web', { targets: { clusters: ['c0'] } })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await story.deleteModule('web')
    expect(await isGone(story, 'web')).toBe(true)
    await story.pass(60)
    expectUntouched(story, 'c1', from)
  })

  it('a module of that name that selects it takes it up: the same objects, and what it has no more goes', async () => {
    const { story } = await givenUp('taken up')
    const { uid } = story.live('c1', 'configmaps', 'web')!.metadata
    await story.config('web', configManifest('web', '2'))
    await story.module('web', 'web')
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const live = story.live('c1', 'configmaps', 'web')!
    expect([live.metadata.uid, live.data]).toEqual([uid, { value: '2' }])
    expect(story.live('c1', 'configmaps', 'web-too')).toBeUndefined()
    const inventory = story.inventory('web', 'c1')!
    expect([inventory.spec.released, inventory.metadata.annotations?.[ORPHANED_ANNOTATION]]).toEqual([
      undefined,
      undefined,
    ])
    await story.deleteModule('web')
    expect(await isGone(story, 'web')).toBe(true)
    expect([story.live('c1', 'configmaps', 'web'), story.inventories]).toEqual([undefined, []])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it(
    'whoever gives it up may die at any write, with the cluster back at once: never emptied half',
    async () => {
      let deaths = 0
      for (const after of [false, true]) {
        const { first, step } = deathsOf(after)
        for (let write = first; ; write += step) {
          const story = await silent(`crash ${write} ${after}`, ['c0', 'c1'], ['c1'])
          const from = story.fleet.commits.length
          await story.deleteModule('web')
          await story.pass(60)
          story.manager.stop()
          await orphan(story, 'web', 'c1')
          const start = (what: string, crash?: { write: number; after: boolean }) => {
            const options = { delayMs: 1, lossRate: 0, dropRate: 0, ...(crash ? { crash } : {}) }
            const process = spawn(story.fleet.env, what, options)
            const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
            story.manager = startManager(
              process.env,
              createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
            )
            return process
          }
          const dying = start('first', { write, after })
          const hasDied = await story.until(() => !dying.alive, 120)
          if (!hasDied) break
          deaths++
          const isReleased = story.fleet.inventories().some((i) => (i as never as Released).spec.released)
          serve(story, 'c1')
          start('second')
          expect(await isGone(story, 'web')).toBe(true)
          await back(story, 'c1')
          if (isReleased) expectUntouched(story, 'c1', from)
          else expect([story.live('c1', 'configmaps', 'web'), story.inventories]).toEqual([undefined, []])
          expect(story.fleet.oracles.violations).toEqual([])
        }
      }
      expect(deaths).toBeGreaterThan(3)
    },
    patience(120_000),
  )
})

interface Released {
  readonly spec: { readonly released?: unknown }
}
