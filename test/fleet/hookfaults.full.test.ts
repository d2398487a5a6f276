/** Hooks where the cluster refuses, is slow, or means something else by the same name. */
import { describe, expect, it } from 'vitest'
import type { ServerRequest, ServerResponse } from '../../packages/kube/src/env/net.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { createsOf, hooksOf, jobHook, jobKind, together } from './hookspecs.ts'
import { dataOf, isThere, next, retry, USER, unitBlockers } from './hookstory.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const DENIED = 'denied by policy'
const status = (code: number, reason: string): ServerResponse => ({
  status: code,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ kind: 'Status', status: 'Failure', reason, code, message: DENIED }),
})

/** The cluster answers what `refuse` gives, else as it would; gives how often it did. */
function refusing(story: Story, refuse: (r: ServerRequest) => ServerResponse | undefined): { count: number } {
  const { api } = story.fleet.clusters.get('edge')!
  const said = { count: 0 }
  story.fleet.env.net.serve('https://edge.test', async (r) => {
    const answer = refuse(r)
    if (answer) said.count++
    return answer ?? api.handle(r)
  })
  return said
}

const of = (method: string, path: RegExp) => (r: ServerRequest) => r.method === method && path.test(r.url)
const JOBS = /\/jobs\b/

const widgets = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
})
const widget = (name: string, annotations: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default', annotations },
})
const definition = (annotations: object): string =>
  `${JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com', annotations },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  })}\n`

async function ready(story: Story, source: string, text: string, o: object = {}): Promise<void> {
  await next(story, source, text, o)
  expect(await story.until(() => story.isReady('m'), 300), unitBlockers(story).join('\n')).toBe(true)
  await story.pass(60)
}

describe('what a hook made, and others use', () => {
  const HELM = { 'helm.sh/hook': 'pre-install,pre-upgrade' }

  it.each([
    ['stays a hook', HELM],
    ['becomes an object of the bundle', {}],
  ])('a definition that %s is not deleted, nor what users made of it', async (what, annotations) => {
    const story = await Story.begin(`definition ${what}`, ['edge'])
    await ready(story, 'v1', together(definition(HELM), configManifest('c', '1')))
    const { client } = story.fleet.clusters.get('edge')!
    must(await story.during(client.create(widgets, widget('mine', {}) as never, USER)))
    const from = story.fleet.commits.length
    await ready(story, 'v2', together(definition(annotations), configManifest('c', '2')))
    await ready(story, 'v3', configManifest('c', '3'), {
      apply: { prune: annotations === HELM },
    })
    expect(story.writes('edge', from).filter((w) => w.startsWith('delete'))).toEqual([])
    expect(isThere(story, 'widgets.example.com', 'mine')).toBe(true)
  })

  it('a Namespace that becomes an object of the bundle keeps what is in it', async () => {
    const shop = (annotations: object): string =>
      `${JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', annotations } })}\n`
    const inShop = configManifest('c', '1').replaceAll('namespace: default', 'namespace: shop')
    const story = await Story.begin('namespace', ['edge'])
    await ready(story, 'v1', together(shop(HELM), inShop))
    const from = story.fleet.commits.length
    await ready(story, 'v2', together(shop({}), inShop))
    await story.pass(300)
    expect(story.writes('edge', from).filter((w) => w.startsWith('delete'))).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('any other object is no longer deleted as a hook once it is one of the bundle', async () => {
    const story = await Story.begin('plain', ['edge'])
    const hook = configManifest('x', '1').replace('}', ', annotations: {helm.sh/hook: pre-install}}')
    await ready(story, 'v1', together(hook, configManifest('c', '1')))
    const from = story.fleet.commits.length
    await ready(story, 'v2', together(configManifest('x', '2'), configManifest('c', '1')))
    await story.pass(300)
    expect(story.writes('edge', from).filter((w) => w.startsWith('delete'))).toEqual([])
    expect([dataOf(story, 'x'), hooksOf(story, 'm')]).toEqual(['2', []])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a cluster that refuses', () => {
  it('the create for a while: it is tried again soon, also while a unit leaves', async () => {
    const story = await Story.begin('busy', ['edge'])
    await ready(story, 'v1', together(jobHook('backup', 'PreDelete'), configManifest('c', '1')))
    let isDown = true
    refusing(story, (r) => (isDown && of('POST', JOBS)(r) ? status(500, 'InternalError') : undefined))
    await story.deleteModule('m')
    await story.pass(20)
    isDown = false
    expect(await story.until(() => story.inventories.length === 0, 120), unitBlockers(story).join('\n')).toBe(
      true,
    )
    expect(createsOf(story)).toEqual(['c', 'backup'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('to let go of a run: that is said, tried again each 5 minutes, and what comes after the hook goes on', async () => {
    const story = await Story.begin('patch', ['edge'])
    let isDenied = true
    const said = refusing(story, (r) =>
      isDenied && of('PATCH', JOBS)(r) ? status(403, 'Forbidden') : undefined,
    )
    await ready(story, 'v1', together(jobHook('a', 'PreSync'), configManifest('c', '1')))
    await story.pass(600)
    expect(isThere(story, 'configmaps', 'c')).toBe(true)
    expect(said.count).toBeLessThanOrEqual(4)
    isDenied = false
    await story.pass(400)
    story.fleet.clusters.get('edge')!.world.fail({ image: 'job:2', outcome: 'NeverReady' })
    const other = together(jobHook('b', 'PreSync', { image: 'job:2' }), jobHook('a', 'PreSync'))
    await next(story, 'v2', together(other, configManifest('c', '1')))
    await story.pass(30)
    expect(unitBlockers(story).filter((b) => b.startsWith('Forbidden'))).toEqual([])
  })

  it('to delete a run whose place is needed: that is said, with its words', async () => {
    const story = await Story.begin('delete', ['edge'])
    await ready(story, 'v1', together(jobHook('a', 'PreSync'), configManifest('c', '1')))
    let isDenied = true
    refusing(story, (r) => (isDenied && of('DELETE', JOBS)(r) ? status(403, 'Forbidden') : undefined))
    await next(story, 'v2', together(jobHook('a', 'PreSync', { image: 'job:2' }), configManifest('c', '2')))
    await story.pass(60)
    expect(unitBlockers(story).join('\n')).toMatch(
      /Forbidden: Job default\/a cannot be deleted: .*denied by policy/,
    )
    isDenied = false
    expect(await story.until(() => story.isReady('m'), 400), unitBlockers(story).join('\n')).toBe(true)
    expect(dataOf(story, 'c')).toBe('2')
  })

  it('to delete what a hook left behind holds the removal of its unit, and is said', async () => {
    const story = await Story.begin('removal', ['edge'])
    await ready(story, 'v1', together(jobHook('a', 'PreSync'), configManifest('c', '1')))
    let isDenied = true
    refusing(story, (r) => (isDenied && of('DELETE', JOBS)(r) ? status(403, 'Forbidden') : undefined))
    await story.deleteModule('m')
    await story.pass(120)
    expect(unitBlockers(story).join('\n')).toMatch(
      /Forbidden: Job default\/a cannot be deleted: .*denied by policy/,
    )
    isDenied = false
    expect(await story.until(() => story.inventories.length === 0, 400)).toBe(true)
  })

  it('to list the kind of a hook: nothing is made that could not be looked at, and that is said', async () => {
    const story = await Story.begin('list', ['edge'])
    refusing(story, (r) => (of('GET', /\/jobs\?/)(r) ? status(403, 'Forbidden') : undefined))
    await next(story, 'v1', together(jobHook('a', 'PreSync'), configManifest('c', '1')))
    await story.pass(60)
    expect(unitBlockers(story).join('\n')).toMatch(/^Forbidden: Job .* cannot be read: .*denied by policy/)
    expect(createsOf(story)).toEqual([])
  })
})

describe('a unit that leaves', () => {
  it('after a restart too, Orphan takes our marks and the finalizer off a run', async () => {
    const story = await Story.begin('orphan', ['edge'])
    story.fleet.clusters.get('edge')!.world.fail({ image: 'job:1', outcome: 'NeverReady' })
    const text = together(jobHook('a', 'PostSync'), configManifest('c', '1'))
    await next(story, 'v1', text, { apply: { deletionPolicy: 'Orphan' } })
    expect(await story.until(() => isThere(story, 'jobs.batch', 'a'))).toBe(true)
    story.manager.stop()
    await story.deleteModule('m')
    story.manager = story.fleet.startController()
    expect(await story.until(() => story.inventories.length === 0, 300)).toBe(true)
    const { labels, annotations, finalizers } = story.live('edge', 'jobs.batch', 'a')!.metadata
    expect([
      labels?.['lockstep.dev/unit'],
      annotations?.['lockstep.dev/inventory'],
      finalizers ?? [],
    ]).toEqual([undefined, undefined, []])
  })

  it('and whose hook fails goes without it once Orphan is set', async () => {
    const story = await Story.begin('way out', ['edge'])
    story.fleet.clusters.get('edge')!.world.fail({ workload: 'a', outcome: 'Fail' })
    await ready(story, 'v1', together(jobHook('a', 'PreDelete'), configManifest('c', '1')))
    await story.deleteModule('m')
    expect(await story.until(() => hooksOf(story, 'm').includes('PreDelete a Failed 1'))).toBe(true)
    const key = { namespace: NAMESPACE, name: 'm' }
    const patch = { spec: { apply: { deletionPolicy: 'Orphan' } } }
    must(await story.during(story.fleet.hub.patch(moduleKind, key, patch, USER)))
    expect(await story.until(() => story.inventories.length === 0, 300)).toBe(true)
    expect(isThere(story, 'configmaps', 'c')).toBe(true)
  })

  it('has hooks after it of a kind that it defines itself: the definition goes last', async () => {
    const story = await Story.begin('own kind', ['edge'])
    const hook = `${JSON.stringify(widget('goodbye', { 'argocd.argoproj.io/hook': 'PostDelete' }))}\n`
    await ready(story, 'v1', together(definition({}), hook, configManifest('c', '1')))
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0, 300), unitBlockers(story).join('\n')).toBe(
      true,
    )
    expect(createsOf(story).at(-1)).toBe('goodbye')
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('two meanings of one object', () => {
  it('a hook after a failure that is a later one too: each runs in its turn', async () => {
    const story = await Story.begin('one job', ['edge'])
    const { world } = story.fleet.clusters.get('edge')!
    const slow = { image: 'job:1', outcome: 'NeverReady' } as const
    world.fail(slow)
    let isDenied = true
    const isWrite = of('PATCH', /\/configmaps\/c\b/)
    refusing(story, (r) => (isDenied && isWrite(r) ? status(403, 'Forbidden') : undefined))
    await next(story, 'v1', together(jobHook('tell', 'PostSync,SyncFail'), configManifest('c', '1')))
    expect(await story.until(() => hooksOf(story, 'm').includes('SyncFail tell Running 1'))).toBe(true)
    isDenied = false
    await story.pass(400)
    expect(hooksOf(story, 'm')).toEqual(['SyncFail tell Running 1'])
    world.heal(slow)
    await retry(story, 'Failed')
    expect(await story.until(() => story.isReady('m'), 400), unitBlockers(story).join('\n')).toBe(true)
    expect(hooksOf(story, 'm')).toEqual(['PostSync tell Succeeded 1', 'SyncFail tell Succeeded 1'])
    expect(createsOf(story).filter((n) => n === 'tell')).toHaveLength(2)
  })

  it('a failure after the failure does not outlive the recovery', async () => {
    const story = await Story.begin('both fail', ['edge'])
    story.fleet.clusters.get('edge')!.world.fail({ image: 'job:1', outcome: 'Fail' })
    let isDenied = true
    const isWrite = of('PATCH', /\/configmaps\/c\b/)
    refusing(story, (r) => (isDenied && isWrite(r) ? status(403, 'Forbidden') : undefined))
    await next(story, 'v1', together(jobHook('tell', 'SyncFail'), configManifest('c', '1')))
    expect(await story.until(() => hooksOf(story, 'm').includes('SyncFail tell Failed 1'))).toBe(true)
    isDenied = false
    const isDone = () => story.inventory('m', 'edge')?.status?.state === 'Ready'
    expect(await story.until(isDone, 400), unitBlockers(story).join('\n')).toBe(true)
  })

  it('a run that somebody took our label off is named, so that it can be deleted', async () => {
    const story = await Story.begin('unlabelled', ['edge'])
    const { world, client } = story.fleet.clusters.get('edge')!
    world.fail({ image: 'job:1', outcome: 'NeverReady' })
    await next(story, 'v1', together(jobHook('a', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'a'))).toBe(true)
    await story.pass(5)
    const key = { namespace: 'default', name: 'a' }
    const unlabel = { metadata: { labels: { 'lockstep.dev/unit': null } } }
    must(await story.during(client.patch(jobKind, key, unlabel, USER)))
    await next(story, 'v2', together(jobHook('a', 'PreSync', { image: 'job:2' }), configManifest('c', '2')))
    expect(await story.until(() => unitBlockers(story).some((b) => b.startsWith('NotOwned')), 120)).toBe(true)
    expect(unitBlockers(story).join('\n')).toContain('delete it')
    const freed = { metadata: { finalizers: null } }
    must(await story.during(client.patch(jobKind, key, freed, USER)))
    must(await story.during(client.delete(jobKind, key, USER)))
    expect(await story.until(() => createsOf(story).length === 2, 400)).toBe(true)
  })
})
