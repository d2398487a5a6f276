/** Runs of hooks that others meddle with: time, people, newer content, a unit that leaves. */
import { describe, expect, it } from 'vitest'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { createsOf, hooksOf, jobHook, jobKind, together } from './hookspecs.ts'
import { dataOf, delivered, isThere, next, retry, USER, unitBlockers } from './hookstory.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

describe('a run that does not end by itself', () => {
  it('is deleted when its time is over, and counts as failed', async () => {
    const annotations = { 'lockstep.dev/hook-timeout': '90s' }
    const story = await Story.begin('timeout', ['edge'])
    story.fleet.clusters.get('edge')!.world.fail({ image: 'job:1', outcome: 'NeverReady' })
    await next(story, 'v1', together(jobHook('slow', 'PreSync', { annotations }), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'slow'))).toBe(true)
    await story.pass(80)
    expect(hooksOf(story, 'm')).toEqual(['PreSync slow Running 1'])
    expect(await story.until(() => !isThere(story, 'jobs.batch', 'slow'), 30)).toBe(true)
    await story.pass(5)
    expect(unitBlockers(story)[0]).toMatch(
      /^HookTimeout: hook Job default\/slow \(PreSync, attempt 1 of 1\) did not end within 90s/,
    )
    expect(createsOf(story)).toEqual(['slow'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('somebody deletes: it has failed', async () => {
    const story = await Story.begin('taken', ['edge'])
    const { world, client } = story.fleet.clusters.get('edge')!
    world.fail({ image: 'job:1', outcome: 'NeverReady' })
    await next(story, 'v1', together(jobHook('slow', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'slow'))).toBe(true)
    await story.pass(10)
    must(await story.during(client.delete(jobKind, { namespace: 'default', name: 'slow' }, USER)))
    expect(await story.until(() => hooksOf(story, 'm').includes('PreSync slow Failed 1'))).toBe(true)
    await story.pass(10)
    expect(unitBlockers(story)[0]).toContain('was deleted before it ended')
    expect(isThere(story, 'jobs.batch', 'slow')).toBe(false)
    expect(createsOf(story)).toEqual(['slow'])
  })

  it.each([
    ['at once', 0],
    ['while nothing is heard of the cluster for a minute', 60],
  ])('its TTL takes it away %s: its result is seen all the same', async (what, silent) => {
    const story = await Story.begin(`ttl ${what}`, ['edge'], { delays: LIFELIKE })
    const { env } = story.fleet
    const text = together(
      jobHook('quick', 'PreSync', { spec: { ttlSecondsAfterFinished: 0 } }),
      configManifest('c', '1'),
    )
    await next(story, 'v1', text)
    expect(await story.until(() => isThere(story, 'jobs.batch', 'quick'))).toBe(true)
    if (silent > 0) {
      env.net.wire('https://edge.test', {
        before: async () => ({ phase: 'connect', detail: 'cut off by the test' }),
      })
      await story.pass(silent)
      env.net.wire('https://edge.test', undefined)
    }
    expect(await story.until(() => story.isReady('m'), 300), unitBlockers(story).join('\n')).toBe(true)
    await story.pass(60)
    expect(hooksOf(story, 'm')).toEqual(['PreSync quick Succeeded 1'])
    expect(createsOf(story)).toEqual(['quick', 'c'])
    expect(isThere(story, 'jobs.batch', 'quick')).toBe(false)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('another revision while a hook runs', () => {
  it('the run ends, then come the new hooks, then the new objects; both results are kept in turn', async () => {
    const slow = { image: 'job:1', outcome: 'NeverReady' } as const
    const story = await Story.begin('overlap', ['edge'])
    const { world } = story.fleet.clusters.get('edge')!
    world.fail(slow)
    await next(story, 'v1', together(jobHook('migrate', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'migrate'))).toBe(true)
    await next(
      story,
      'v2',
      together(jobHook('migrate', 'PreSync', { image: 'job:2' }), configManifest('c', '2')),
    )
    await story.pass(60)
    expect(createsOf(story)).toEqual(['migrate'])
    expect(hooksOf(story, 'm')).toEqual(['PreSync migrate Running 1'])
    expect(unitBlockers(story)[0]).toMatch(
      /^WaitingForHook: .* is running for the previous content; it ends first/,
    )
    world.heal(slow)
    expect(await story.until(() => story.isReady('m')), unitBlockers(story).join('\n')).toBe(true)
    expect(createsOf(story)).toEqual(['migrate', 'migrate', 'c'])
    expect(dataOf(story, 'c')).toBe('2')
    const ends = story.fleet.commits.flatMap((x) => {
      const hook = (x.next as { spec?: { hooks?: { state: string; serial: number }[] } } | undefined)?.spec
        ?.hooks?.[0]
      return x.resource === 'inventories.lockstep.dev' && hook ? [`${hook.serial} ${hook.state}`] : []
    })
    expect([...new Set(ends)]).toEqual(['1 Running', '1 Succeeded', '2 Running', '2 Succeeded'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('what ran for content that nobody wants any more goes with its hook', async () => {
    const slow = { image: 'job:1', outcome: 'NeverReady' } as const
    const story = await Story.begin('dropped', ['edge'])
    const { world } = story.fleet.clusters.get('edge')!
    world.fail(slow)
    await next(story, 'v1', together(jobHook('migrate', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'migrate'))).toBe(true)
    await next(story, 'v2', configManifest('c', '2'))
    await story.pass(30)
    expect(isThere(story, 'configmaps', 'c')).toBe(false)
    world.heal(slow)
    expect(await story.until(() => story.isReady('m') && !isThere(story, 'jobs.batch', 'migrate'))).toBe(true)
    await story.pass(20)
    expect(hooksOf(story, 'm')).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('an object that has the name of a hook', () => {
  it('and is not ours is not touched, and is said', async () => {
    const story = await Story.begin('name taken', ['edge'])
    const { client, api } = story.fleet.clusters.get('edge')!
    const theirs = JSON.parse(jobHook('migrate', undefined, { spec: { suspend: true } }))
    must(await story.during(client.create(jobKind, theirs, USER)))
    const before = api.local.get('jobs.batch', 'default', 'migrate')!.metadata.resourceVersion
    await next(story, 'v1', together(jobHook('migrate', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => unitBlockers(story)[0]?.startsWith('NotOwned') === true)).toBe(true)
    await story.pass(700)
    expect(api.local.get('jobs.batch', 'default', 'migrate')!.metadata.resourceVersion).toBe(before)
    expect(createsOf(story)).toEqual([])
    must(await story.during(client.delete(jobKind, { namespace: 'default', name: 'migrate' }, USER)))
    await retry(story, 'Failed')
    expect(await story.until(() => story.isReady('m'), 400), unitBlockers(story).join('\n')).toBe(true)
  })
})

describe('hooks of Helm', () => {
  const hook = (name: string, when: string, weight?: string) =>
    jobHook(name, undefined, {
      annotations: { 'helm.sh/hook': when, ...(weight ? { 'helm.sh/hook-weight': weight } : {}) },
    })

  it('one after another by weight, then name', async () => {
    const story = await delivered(
      'weights',
      together(
        hook('b', 'pre-install', '5'),
        hook('c', 'pre-install', '-1'),
        hook('a', 'pre-install', '-1'),
        configManifest('config', '1'),
      ),
    )
    expect(createsOf(story)).toEqual(['a', 'c', 'b', 'config'])
  })

  it('install at the first delivery only, upgrade at later ones, rollback on the way back', async () => {
    const text = (v: string) =>
      together(
        hook('install', 'pre-install'),
        hook('upgrade', 'pre-upgrade'),
        hook('rollback', 'pre-rollback'),
        configManifest('config', v),
      )
    const story = await Story.begin('events', ['edge'])
    for (const v of ['v1', 'v2']) await story.config(v, text(v))
    const deliver = async (v: string): Promise<string[]> => {
      const from = story.fleet.commits.length
      await story.module('m', v)
      expect(await story.until(() => story.isReady('m') && dataOf(story, 'config') === v)).toBe(true)
      await story.pass(5)
      return createsOf(story, from)
    }
    expect(await deliver('v1')).toEqual(['install', 'config'])
    expect(await deliver('v2')).toEqual(['upgrade'])
    expect(await deliver('v1')).toEqual(['rollback'])
    expect(await deliver('v2')).toEqual(['upgrade'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('of an object that is one of Argo CD too, that of Argo CD counts, and both policies', async () => {
    const story = await delivered(
      'two dialects',
      together(
        jobHook('seed', 'Sync', {
          annotations: {
            'helm.sh/hook': 'post-install',
            'helm.sh/hook-delete-policy': 'hook-succeeded',
            'argocd.argoproj.io/hook-delete-policy': 'HookFailed',
          },
        }),
        configManifest('config', '1'),
      ),
    )
    expect(story.inventory('m', 'edge')!.spec.hooks?.map((h) => [h.phase, h.policy])).toEqual([
      ['Sync', ['HookFailed', 'HookSucceeded']],
    ])
    await story.pass(60)
    expect(isThere(story, 'jobs.batch', 'seed')).toBe(false)
  })
})

describe('a unit that is deleted', () => {
  const text = together(
    jobHook('backup', 'PreDelete'),
    configManifest('config', '1'),
    jobHook('goodbye', 'PostDelete'),
  )

  it('hooks before its objects go, and after', async () => {
    const story = await delivered('deleted', text)
    expect(createsOf(story)).toEqual(['config'])
    const from = story.fleet.commits.length
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0, 200)).toBe(true)
    const order = [
      'create jobs.batch default/backup',
      'delete configmaps default/config',
      'create jobs.batch default/goodbye',
    ]
    expect(story.writes('edge', from).filter((w) => order.includes(w))).toEqual(order)
    expect([isThere(story, 'jobs.batch', 'backup'), isThere(story, 'jobs.batch', 'goodbye')]).toEqual([
      false,
      false,
    ])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('one that fails holds everything; retry, and it goes on', async () => {
    const story = await delivered('held', text)
    const { world } = story.fleet.clusters.get('edge')!
    const failing = { workload: 'backup', outcome: 'Fail' } as const
    world.fail(failing)
    await story.deleteModule('m')
    expect(await story.until(() => unitBlockers(story)[0]?.startsWith('HookFailed') === true)).toBe(true)
    await story.pass(200)
    expect(isThere(story, 'configmaps', 'config')).toBe(true)
    expect(createsOf(story)).toEqual(['config', 'backup'])
    world.heal(failing)
    await retry(story, 'Failed')
    expect(await story.until(() => story.inventories.length === 0, 200), unitBlockers(story).join('\n')).toBe(
      true,
    )
    expect(createsOf(story)).toEqual(['config', 'backup', 'backup', 'goodbye'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('one that fails runs again after 5 minutes, and the deletion continues', async () => {
    const story = await delivered('again', text)
    const { world } = story.fleet.clusters.get('edge')!
    const failing = { workload: 'backup', outcome: 'Fail' } as const
    world.fail(failing)
    await story.deleteModule('m')
    expect(await story.until(() => unitBlockers(story)[0]?.startsWith('HookFailed') === true)).toBe(true)
    await story.pass(320)
    expect(createsOf(story)).toEqual(['config', 'backup', 'backup'])
    expect(unitBlockers(story)[0]).toMatch(
      /^HookFailed: hook Job default\/backup \(PreDelete, attempt 2 of 2\)/,
    )
    world.heal(failing)
    expect(await story.until(() => story.inventories.length === 0, 320)).toBe(true)
    expect(createsOf(story)).toEqual(['config', 'backup', 'backup', 'backup', 'goodbye'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('Orphan: no hook runs, and what hooks left behind stays, without our marks', async () => {
    const story = await delivered('orphan', together(text, jobHook('migrate', 'PreSync')), {
      apply: { deletionPolicy: 'Orphan' },
    })
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0, 200)).toBe(true)
    expect(createsOf(story)).toEqual(['migrate', 'config'])
    const left = story.live('edge', 'jobs.batch', 'migrate')!
    expect(left.metadata.finalizers ?? []).toEqual([])
    expect(left.metadata.labels ?? {}).not.toHaveProperty('lockstep.dev/unit')
  })

  it('its Namespace stays until the hooks after it have run there', async () => {
    const inShop = (s: string) =>
      s.replaceAll('"default"', '"shop"').replaceAll('namespace: default', 'namespace: shop')
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n'
    const story = await delivered('namespace', together(namespace, inShop(text)))
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0, 300), unitBlockers(story).join('\n')).toBe(
      true,
    )
    expect(createsOf(story)).toEqual(['shop', 'config', 'backup', 'goodbye'])
    expect(story.fleet.clusters.get('edge')!.api.local.get('namespaces', '', 'shop')).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

it('a hook whose health expression reads a status that is not there yet runs until it is', async () => {
  const story = await Story.begin('hook expression', ['edge'])
  const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
  const hook =
    'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default, annotations: {argocd.argoproj.io/hook: PostSync}}\n'
  const expressions = [{ apiVersion: 'example.com/v1', kind: 'Widget', current: "status.phase == 'Done'" }]
  await story.config('v1', `${widgets}---\n${hook}`)
  await story.module('m', 'v1', { health: { expressions } })
  await story.pass(60)
  expect(hooksOf(story, 'm')).toEqual(['PostSync w Running 1'])
  const widgetKind = defineKind({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    namespaced: true,
  })
  const { client } = story.fleet.clusters.get('edge')!
  const key = { namespace: 'default', name: 'w' }
  must(await story.during(client.patch(widgetKind, key, { status: { phase: 'Done' } }, USER)))
  expect(await story.until(() => story.isReady('m'), 60)).toBe(true)
})
